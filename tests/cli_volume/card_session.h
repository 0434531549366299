/*
 * card_session.h - for tests of ls, check, cat and bench: the command as a person
 * runs it in a folder of WAV files, on images made by mkfs.fat, mkfs.exfat and
 * mtools.
 */
#ifndef JUMPCORE_TESTS_CARD_SESSION_H
#define JUMPCORE_TESTS_CARD_SESSION_H

#include <stddef.h>

#include <cjson/cJSON.h>

/* A group's set-up and tear-down: a new folder, the working one from then on, with
 * short.wav, long.wav, sliced.wav (8 cue points), adpcm.wav, many.wav (24 channels),
 * double.wav (64-bit float) and cut.wav (shorter than it says). */
int session_begin(void **state);
int session_end(void **state);

/* Standard output and error of the last command. */
enum { TEXT_BYTES = 1 << 20 };
extern char out[TEXT_BYTES];
extern char err[TEXT_BYTES];

/* Runs "jumpcore ARGUMENTS"; returns its exit code. */
int jumpcore(const char *arguments);

/* It fails with that code, says `part` and prints nothing on standard output. */
void expect_error(const char *arguments, int code, const char *part);

/* Runs a line of shell; returns its exit code. */
int shell(const char *command);

/* For making images: it must work; a missing program skips the test. */
void make(const char *command);

/* The file's bytes (and a NUL) into `text` of TEXT_BYTES; returns how many. */
size_t read_file(const char *name, char *text);

/* ---- what was printed as JSON --------------------------------------------- */

cJSON *json(void); /* of `out` */
const cJSON *get(const cJSON *object, const char *key);
const cJSON *with_path(const cJSON *array, const char *path); /* the element with that "path" */
void expect_number(const cJSON *object, const char *key, double value);
void expect_text(const cJSON *object, const char *key, const char *value);
void expect_problem(const char *part); /* in `out`, of check --json */

/* ---- cards ------------------------------------------------------------------ */

/* card.img: 160 MB, a partition at 1 MB with FAT16, all aligned; /drums in it. */
void make_good_card(void);

/* plain.img, easier to damage: 32 MB, FAT16 without a partition table;
 * /drums/long.wav and /short.wav in it. */
void make_plain_card(void);

#endif
