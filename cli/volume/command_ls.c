#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "host/json_tree.h"
#include "host/message.h"
#include "host/terminal.h"
#include "host/utf8.h"
#include "volume/card_walk.h"
#include "volume/size_text.h"
#include "volume/target_command.h"

static const char HELP[] =
    "usage: jumpcore ls [OPTION...] TARGET[:PATH]\n"
    "\n"
    "Lists a directory of a card (the topmost one if there is no PATH), or one file: size and\n"
    "name, directories with a '/'. Files that players pass over - hidden ones, and names that\n"
    "begin with a dot, such as the '._' companions that macOS leaves - are left out.\n"
    "\n" TARGET_HELP "\n"
    "options:\n"
    "  -a, --all          hidden files, too\n"
    "  --json             print an array of {path, name, size, directory}, size in "
    "bytes\n" TARGET_OPTIONS_HELP "  -h, --help         this text\n"
    "\n"
    "Examples:\n"
    "  jumpcore ls card.img\n"
    "  sudo jumpcore ls /dev/sdb:/drums\n"
    "\n"
    "Exit code: 0 all of it was listed, 1 something could not be read (the rest is listed),\n"
    "2 wrong usage.\n";

/* ---- output ------------------------------------------------------------ */

static bool add_json(cJSON *array, const card_entry *entry)
{
    cJSON *object = cJSON_CreateObject();
    return json_append(array, object) && json_add_text(object, "path", true, entry->path) &&
           json_add_text(object, "name", true, card_entry_name(entry)) &&
           json_add_number(object, "size", true, (double)entry->node.size_bytes) &&
           json_add_flag(object, "directory", true, jc_node_is_directory(&entry->node));
}

static bool print_json(const card_list *list)
{
    cJSON *array = cJSON_CreateArray();
    bool ok = array != NULL;
    for (size_t i = 0; ok && i < list->count; i++)
        ok = add_json(array, &list->entries[i]);
    return json_print_and_delete(array, ok, stdout);
}

static bool print_lines(const card_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        const card_entry *entry = &list->entries[i];
        const bool directory = jc_node_is_directory(&entry->node);
        char size[SIZE_TEXT_BYTES] = "-";
        if (!directory)
            size_text(entry->node.size_bytes, size);
        const char *raw = card_entry_name(entry);
        char *name = utf8_clean_copy(raw, strlen(raw));
        if (!name)
            return false;
        printf("%9s  %s%s\n", size, name, directory ? "/" : "");
        free(name);
    }
    if (list->count == 0 && terminal_is(stdout))
        printf(list->hidden ? "nothing but hidden files; --all shows them\n" : "nothing in it\n");
    return true;
}

/* ---- the work ------------------------------------------------------------ */

/* `path` without slashes at its end, each step once; to be freed. */
static char *tidy_path(const char *path)
{
    char *tidy = malloc(strlen(path) + 1);
    char *to = tidy;
    for (; tidy && *path; path++)
        if (path[0] != '/' || (path[1] != '/' && path[1] != '\0'))
            *to++ = *path;
    if (tidy)
        *to = '\0';
    return tidy;
}

static int list_path(target *t, const char *path, const target_options *o)
{
    jc_node node;
    card_list list = {0};
    int error = jc_volume_find(&t->volume, path, &node);
    if (error != JC_OK)
        return target_say_error(t, *path ? path : "/", error);

    bool memory = false;
    if (jc_node_is_directory(&node)) {
        memory = card_list_directory(&list, &t->volume, &node, path, o->all);
    } else {
        const char *slash = strrchr(path, '/');
        char *parent = strndup(path, (size_t)(slash - path));
        memory = parent && card_list_add(&list, parent, slash + 1, &node, JC_OK);
        free(parent);
    }
    card_list_sort(&list);
    memory = memory && (o->json ? print_json(&list) : print_lines(&list));
    int code = memory ? EXIT_FINE : say_no_memory();
    if (list.error != JC_OK)
        code = target_say_error(t, *path ? path : "/", list.error);
    card_list_free(&list);
    return code;
}

static int list_target(target *t, const target_options *o)
{
    if (target_use(t, o->partition) != EXIT_FINE)
        return EXIT_FAILED;
    char *path = tidy_path(t->path ? t->path : "/");
    int code = path ? list_path(t, path, o) : say_no_memory();
    free(path);
    return code;
}

int command_ls(int argc, char **argv)
{
    static const struct option OPTIONS[] = {{"all", no_argument, NULL, 'a'},
                                            OPTION_JSON_ENTRY,
                                            TARGET_PARTITION_ENTRY,
                                            OPTION_HELP_ENTRY,
                                            {0}};
    static const target_command LS = {.help = HELP,
                                      .options = OPTIONS,
                                      .letters = "ah",
                                      .accepts = target_command_accepts_any,
                                      .run = list_target};
    return target_command_run(&LS, argc, argv);
}
