#include "volume/card_walk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

const char *card_entry_name(const card_entry *entry)
{
    const char *slash = strrchr(entry->path, '/');
    return slash ? slash + 1 : entry->path;
}

static bool is_hidden(const char *name, const jc_node *node)
{
    return jc_name_is_hidden(name) ||
           (node->attributes & (JC_ATTRIBUTE_HIDDEN | JC_ATTRIBUTE_SYSTEM)) != 0;
}

static bool grow(card_list *list)
{
    if (list->count < list->capacity)
        return true;
    const size_t capacity = list->capacity ? 2 * list->capacity : 64;
    card_entry *larger = reallocarray(list->entries, capacity, sizeof *larger);
    if (!larger)
        return false;
    list->entries = larger;
    list->capacity = capacity;
    return true;
}

bool card_list_add(card_list *list, const char *path, const char *name, const jc_node *node,
                   int warning)
{
    const size_t length = strlen(path) + 1 + strlen(name) + 1;
    char *whole = malloc(length);
    if (!whole || !grow(list)) {
        free(whole);
        return false;
    }
    snprintf(whole, length, "%s/%s", path, name);
    list->entries[list->count++] = (card_entry){whole, *node, warning, is_hidden(name, node)};
    return true;
}

bool card_list_directory(card_list *list, jc_volume *volume, const jc_node *directory,
                         const char *path, bool hidden_too)
{
    jc_dir dir;
    jc_dir_entry entry;
    int result = jc_dir_open_node(volume, directory, &dir);
    if (result != JC_OK) {
        list->error = result;
        return true;
    }
    while ((result = jc_dir_next(&dir, &entry)) != 0) {
        if (result < 0) {
            list->error = result; /* the next call goes on behind it, or says 0 */
            continue;
        }
        if (!hidden_too && is_hidden(entry.name, &entry.node))
            list->hidden++;
        else if (!card_list_add(list, path, entry.name, &entry.node, entry.warning))
            return false;
    }
    return true;
}

static int compare(const void *a, const void *b)
{
    const card_entry *left = a;
    const card_entry *right = b;
    int order = strcasecmp(left->path, right->path);
    return order ? order : strcmp(left->path, right->path);
}

void card_list_sort(card_list *list)
{
    if (list->count > 1)
        qsort(list->entries, list->count, sizeof *list->entries, compare);
}

void card_list_free(card_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->entries[i].path);
    free(list->entries);
    *list = (card_list){0};
}
