/*
 * serial_list.h - the serial ports of this computer, for `jumpcore bench --list`.
 */
#ifndef JUMPCORE_CLI_SERIAL_LIST_H
#define JUMPCORE_CLI_SERIAL_LIST_H

#include <stdbool.h>

/* Prints them on standard output, as a table or as a JSON array. Returns the exit
 * code: EXIT_FAILED when there is none, after a message. */
int serial_list(bool json);

#endif
