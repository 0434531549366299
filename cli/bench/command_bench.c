#include <stdio.h>

#include "commands.h"
#include "host/message.h"
#include "host/options.h"

static const char HELP[] =
    "usage: jumpcore bench [OPTION...] TARGET\n\n"
    "Measures reads at random positions of TARGET: a block device, a disk image or a\n"
    "file on a mounted card. Only reads; never writes to TARGET.\n\n"
    "options:\n" OPTION_BLOCK_HELP "  -h, --help         this text\n";

int command_bench(int argc, char **argv)
{
    static const struct option OPTIONS[] = {
        OPTION_BLOCK_FRAMES_ENTRY, OPTION_RATE_ENTRY, {"help", no_argument, NULL, 'h'}, {0}};
    jc_block block = option_block_default();
    for (int code; (code = getopt_long(argc, argv, "h", OPTIONS, NULL)) != -1;) {
        switch (code) {
        case 'h':
            fputs(HELP, stdout);
            return EXIT_FINE;
        case OPTION_BLOCK_FRAMES:
        case OPTION_RATE:
            if (!option_block(code, optarg, &block))
                return say_see_help();
            break;
        default:
            return say_see_help();
        }
    }
    say_error("give one TARGET");
    return say_see_help();
}
