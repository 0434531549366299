#include "volume/target_command.h"

#include <stdio.h>

#include "host/message.h"

static bool take_option(int code, target_options *o)
{
    switch (code) {
    case 'a':
        return o->all = true;
    case 'h':
        return o->help = true;
    case OPTION_JSON:
        return o->json = true;
    case OPTION_PARTITION:
        return target_partition(optarg, &o->partition);
    default:
        return false;
    }
}

static bool parse(const target_command *command, int argc, char **argv, target_options *o)
{
    *o = (target_options){.partition = JC_PARTITION_AUTO};
    for (int code; !o->help && (code = getopt_long(argc, argv, command->letters, command->options,
                                                   NULL)) != -1;)
        if (!take_option(code, o))
            return false;
    if (o->help)
        return true;
    if (argc - optind > 1) {
        say_error("one TARGET at a time, please");
        return false;
    }
    o->argument = argv[optind];
    return command->accepts(o->argument);
}

bool target_command_accepts_any(const char *argument)
{
    if (!argument)
        say_error("which card? give an image or a device such as /dev/sdb");
    return argument != NULL;
}

int target_command_run(const target_command *command, int argc, char **argv)
{
    target_options o;
    target t;
    if (!parse(command, argc, argv, &o))
        return say_see_help();
    if (o.help) {
        fputs(command->help, stdout);
        return EXIT_FINE;
    }
    if (!target_open(&t, o.argument))
        return EXIT_FAILED;
    int code = command->run(&t, &o);
    target_close(&t);
    return code;
}
