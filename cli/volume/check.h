/*
 * check.h - what `jumpcore check` finds out about a card: its layout, its
 * samples, and what is wrong with them.
 */
#ifndef JUMPCORE_CLI_CHECK_H
#define JUMPCORE_CLI_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "jumpcore/sample.h"
#include "volume/card_walk.h"
#include "volume/target.h"

typedef struct check_sample {
    const char *path;
    bool playable;
    char reason[256];   /* why not; empty when playable */
    int error;          /* the same as a jc_error; JC_OK when playable */
    const char *shares; /* JC_ERR_CROSS_LINK: another one; NULL when unknown */
    bool has_format;    /* `sample` says channels, rate, ... */
    bool has_fragments; /* its clusters could be followed */
    jc_sample sample;   /* frames are only known when playable */
    size_t slices;      /* marked in the file: cue points, else loops */
    uint32_t fragments; /* extents */
    uint64_t unwritten; /* bytes of audio that were never written (exFAT) */
} check_sample;

typedef struct check_problem {
    char *text; /* a sentence that says what to do */
    bool grave; /* keeps samples from being played, or from being found */
} check_problem;

typedef struct check {
    target *target;
    int mount_error;  /* JC_OK when the volume could be read */
    card_list files;  /* all that was found, directories included */
    size_t hidden;    /* files passed over */
    uint8_t *claimed; /* a bit per cluster that some file has */
    uint8_t *visited; /* a bit per cluster where a listed directory begins */
    size_t bitmap_bytes;
    unsigned cross_links;  /* files of which the other was looked for */
    check_sample *samples; /* sorted by path */
    size_t sample_count;
    check_problem *problems;
    size_t problem_count;
    bool out_of_memory;
} check;

/* Looks at everything that can be reached, and says how far it is on a
 * terminal. `t` is open, not mounted. False when memory runs out; free in any
 * case. */
bool check_run(check *c, target *t, uint32_t partition);
void check_free(check *c);

/* Adds a sentence, printf-like. */
void check_add_problem(check *c, bool grave, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Whether any problem is grave. */
bool check_is_grave(const check *c);
size_t check_playable(const check *c);

/* ---- layout (check_layout.c) ------------------------------------------- */

/* What is known of the layout after a mount, which may have failed. */
bool check_knows_table(const check *c);
bool check_knows_file_system(const check *c);
bool check_knows_alignment(const check *c);
bool check_is_aligned(const check *c); /* data area to 4 MB */
bool check_fits_device(const check *c);

/* Adds the problems of the layout. */
void check_layout(check *c);

/* ---- clusters (check_clusters.c) ------------------------------------------ */

/* Claims the clusters of a file; as jc_volume_claim(). After JC_ERR_CROSS_LINK
 * *shares is the path of a file or directory that has some of them, too; else,
 * and when it cannot be told, NULL. If that is a sample it is not played either:
 * nobody knows whose bytes the shared ones are. */
int check_claim(check *c, const card_entry *entry, const char **shares);

/* Adds "'PATH'VERB: what the error says", and with which file it shares clusters. */
void check_add_file_problem(check *c, bool grave, const char *path, const char *verb, int error,
                            const char *shares);

/* ---- samples (check_sample.c) ------------------------------------------ */

/* Whether a file's name says that it is audio, of any kind. */
bool check_is_audio(const char *name);

/* Whether the sample can be played, and why not; `shares` as in check_sample. */
void check_settle_sample(check_sample *s, int error, const char *shares);

/* Fills in `s` for a file, and claims its clusters. */
void check_one_sample(check *c, const card_entry *entry, check_sample *s);

/* ---- output -------------------------------------------------------------- */

/* For people (check_text.c), for machines (check_json.c). False when memory runs
 * out. */
bool check_print_text(const check *c, FILE *to);
bool check_print_json(const check *c, FILE *to);

#endif
