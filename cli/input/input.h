/*
 * input.h - what every reader of cli/input answers.
 */
#ifndef JUMPCORE_CLI_INPUT_H
#define JUMPCORE_CLI_INPUT_H

typedef enum input_result {
    INPUT_READ,       /* the measurement is filled, if only with refused lines */
    INPUT_OTHER_KIND, /* not this reader's kind of file: nothing consumed, try the next */
    INPUT_FAILED      /* the problem says why */
} input_result;

/* A sentence for people without the file's name: "it is empty". */
typedef struct input_problem {
    char text[240];
} input_problem;

#endif
