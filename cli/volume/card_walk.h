/*
 * card_walk.h - lists of what is in a card's directories.
 */
#ifndef JUMPCORE_CLI_CARD_WALK_H
#define JUMPCORE_CLI_CARD_WALK_H

#include <stdbool.h>
#include <stddef.h>

#include "jumpcore/volume.h"

typedef struct card_entry {
    char *path; /* from the root, "/drums/kick.wav"; UTF-8 */
    jc_node node;
    int warning; /* JC_ERR_NAME or JC_OK */
    bool hidden; /* players pass it over: a dotfile, hidden or system file */
} card_entry;

/* Zero-initialised before use. */
typedef struct card_list {
    card_entry *entries;
    size_t count, capacity;
    size_t hidden; /* entries left out */
    int error;     /* the last thing wrong in a directory; JC_OK if nothing */
} card_list;

/* The part of the path behind the last '/'. */
const char *card_entry_name(const card_entry *entry);

/* Adds the entries of one directory; `path` without a '/' at its end ("" is the
 * root). What is wrong on the card ends up in list->error, and the entries that
 * can be read are added all the same. False when memory runs out. */
bool card_list_directory(card_list *list, jc_volume *volume, const jc_node *directory,
                         const char *path, bool hidden_too);

/* Adds one entry; copies `path`. False when memory runs out. */
bool card_list_add(card_list *list, const char *path, const char *name, const jc_node *node,
                   int warning);

/* By path, upper and lower case alike. */
void card_list_sort(card_list *list);

void card_list_free(card_list *list);

#endif
