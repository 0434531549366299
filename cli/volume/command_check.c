#include <stdio.h>

#include "commands.h"
#include "host/message.h"
#include "host/options.h"
#include "volume/check.h"
#include "volume/target.h"

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

typedef struct check_options {
    const char *argument;
    uint32_t partition;
    bool json, help;
} check_options;

static bool parse(int argc, char **argv, check_options *o)
{
    enum { OPTION_JSON = OPTION_OWN };
    static const struct option OPTIONS[] = {{"json", no_argument, NULL, OPTION_JSON},
                                            TARGET_PARTITION_ENTRY,
                                            {"help", no_argument, NULL, 'h'},
                                            {0}};
    *o = (check_options){.partition = JC_PARTITION_AUTO};
    for (int code; (code = getopt_long(argc, argv, "h", OPTIONS, NULL)) != -1;) {
        if (code == OPTION_JSON)
            o->json = true;
        else if (code == 'h')
            o->help = true;
        else if (code != OPTION_PARTITION || !target_partition(optarg, &o->partition))
            return false;
    }
    if (o->help)
        return true;
    if (argc - optind != 1) {
        say_error(argc == optind ? "which card? give an image or a device such as /dev/sdb"
                                 : "one TARGET at a time, please");
        return false;
    }
    o->argument = argv[optind];
    if (target_find_path(o->argument)) {
        say_error("the whole card is checked; leave out ':%s'", target_find_path(o->argument));
        return false;
    }
    return true;
}

static int check_target(target *t, const check_options *o)
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
    check_options o;
    target t;
    if (!parse(argc, argv, &o))
        return say_see_help();
    if (o.help) {
        fputs(HELP, stdout);
        return EXIT_FINE;
    }
    if (!target_open(&t, o.argument))
        return EXIT_FAILED;
    int code = check_target(&t, &o);
    target_close(&t);
    return code;
}
