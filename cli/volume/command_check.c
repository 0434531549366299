#include <stdio.h>

#include "commands.h"
#include "host/message.h"
#include "volume/check.h"
#include "volume/target_command.h"

static const char HELP[] =
    "usage: jumpcore check [OPTION...] TARGET\n"
    "\n"
    "Looks a card over and says what an instrument will make of it: partition table, file\n"
    "system, cluster size, alignment and capacity; for every sample its format, length, slices\n"
    "and fragments, and whether it can be played or why not; and what to do about what is\n"
    "wrong. On a damaged card it says all that it can still find out.\n"
    "\n"
    "Samples are files named as audio (.wav, and others such as .mp3, which are not played).\n"
    "Hidden files are passed over, as players do. The audio itself is not read: to find\n"
    "counterfeit or failing cards use f3 (f3read, f3probe) as well.\n"
    "\n" TARGET_HELP "\n"
    "options:\n"
    "  --json             print an object with partition_table, file_system, cluster_bytes,\n"
    "                     aligned, fits_device, problems (sentences) and samples; what could\n"
    "                     not be found out is null\n" TARGET_OPTIONS_HELP
    "  -h, --help         this text\n"
    "\n"
    "Examples:\n"
    "  sudo jumpcore check /dev/sdb\n"
    "  jumpcore check --json card.img\n"
    "\n"
    "Exit code: 0 all samples can be played (there may be advice under 'problems'), 1 a sample,\n"
    "a directory or the whole card cannot be read or played, 2 wrong usage.\n";

static bool accepts(const char *argument)
{
    if (!target_command_accepts_any(argument))
        return false;
    const char *path = target_find_path(argument);
    if (path)
        say_error("the whole card is checked; leave out ':%s'", path);
    return !path;
}

static int check_target(target *t, const target_options *o)
{
    check c;
    bool ok = check_run(&c, t, o->partition) &&
              (o->json ? check_print_json(&c, stdout) : check_print_text(&c, stdout));
    int code = check_is_grave(&c) ? EXIT_FAILED : EXIT_FINE;
    check_free(&c);
    return ok ? code : say_no_memory();
}

int command_check(int argc, char **argv)
{
    static const struct option OPTIONS[] = {
        OPTION_JSON_ENTRY, TARGET_PARTITION_ENTRY, OPTION_HELP_ENTRY, {0}};
    static const target_command CHECK = {
        .help = HELP, .options = OPTIONS, .letters = "h", .accepts = accepts, .run = check_target};
    return target_command_run(&CHECK, argc, argv);
}
