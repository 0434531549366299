/*
 * json_tree.h - building and printing JSON, on top of cJSON. The functions return
 * false (or NULL) only when memory runs out.
 */
#ifndef JUMPCORE_CLI_JSON_TREE_H
#define JUMPCORE_CLI_JSON_TREE_H

#include <stdbool.h>
#include <stdio.h>

#include <cjson/cJSON.h>

/* Add a value to an object under `key`: null when it is not known. Nothing is
 * done without an object. */
bool json_add_number(cJSON *object, const char *key, bool known, double value);
bool json_add_text(cJSON *object, const char *key, bool known, const char *value);
bool json_add_flag(cJSON *object, const char *key, bool known, bool value);

/* Appends to an array; takes `item`, which may be NULL (then it fails). */
bool json_append(cJSON *array, cJSON *item);

/* Prints the tree and the end of a line, and deletes the tree. Of a tree that is
 * not `complete`, or NULL, nothing is printed, and the answer is false. */
bool json_print_and_delete(cJSON *tree, bool complete, FILE *to);

#endif
