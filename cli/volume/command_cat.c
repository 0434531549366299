#include <stdio.h>
#include <stdlib.h>

#include "commands.h"
#include "host/message.h"
#include "volume/card_file.h"
#include "volume/target_command.h"

static const char HELP[] =
    "usage: jumpcore cat [OPTION...] TARGET:PATH\n"
    "\n"
    "Writes the bytes of a file on a card to standard output: copies a sample off a card that\n"
    "need not be mounted, and shows that jumpcore reads what your instrument will read.\n"
    "\n" TARGET_HELP "\n"
    "If the file cannot be read to its end, what comes before the fault has been written, the\n"
    "fault is named and the exit code is 1.\n"
    "\n"
    "options:\n" TARGET_OPTIONS_HELP "  -h, --help         this text\n"
    "\n"
    "Examples:\n"
    "  jumpcore cat card.img:/drums/kick.wav > kick.wav\n"
    "  sudo jumpcore cat /dev/sdb:/loops/break.wav | aplay\n"
    "\n"
    "Exit code: 0 all of it was written, 1 it was not, 2 wrong usage.\n";

/* After a read error smaller steps get closer to the fault. */
static int write_out(const target *t, const card_file *f)
{
    uint8_t *sectors = malloc(CARD_FILE_READ_MAX + 2 * JC_SECTOR_BYTES);
    if (!sectors)
        return say_no_memory();
    int code = EXIT_FINE;
    uint32_t step = CARD_FILE_READ_MAX;
    for (uint64_t at = 0; code == EXIT_FINE && at < f->file.size_bytes;) {
        const uint64_t left = f->file.size_bytes - at;
        const uint32_t bytes = left < step ? (uint32_t)left : step;
        const uint8_t *data = NULL;
        int error = card_file_read(f, &t->device, at, bytes, sectors, &data);
        if (error != JC_OK && step > JC_SECTOR_BYTES) {
            step /= 2;
            continue;
        }
        if (error != JC_OK)
            code = target_say_error(t, t->path, error);
        else if (fwrite(data, 1, bytes, stdout) != bytes)
            code = EXIT_FAILED; /* main() says why */
        at += bytes;
    }
    free(sectors);
    return code;
}

static int cat(target *t, const target_options *o)
{
    jc_node node;
    card_file f;
    if (target_use(t, o->partition) != EXIT_FINE)
        return EXIT_FAILED;
    int error = jc_volume_find(&t->volume, t->path, &node);
    if (error == JC_OK)
        error = card_file_open(&f, &t->volume, &node);
    if (error == JC_ERR_NO_SPACE)
        return say_no_memory();
    if (error != JC_OK)
        return target_say_error(t, t->path, error);
    int code = write_out(t, &f);
    card_file_close(&f);
    return code;
}

static bool accepts(const char *argument)
{
    if (argument && target_find_path(argument))
        return true;
    say_error("which file? give TARGET:PATH, such as card.img:/kick.wav");
    return false;
}

int command_cat(int argc, char **argv)
{
    static const struct option OPTIONS[] = {TARGET_PARTITION_ENTRY, OPTION_HELP_ENTRY, {0}};
    static const target_command CAT = {
        .help = HELP, .options = OPTIONS, .letters = "h", .accepts = accepts, .run = cat};
    return target_command_run(&CAT, argc, argv);
}
