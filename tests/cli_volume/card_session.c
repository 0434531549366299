#include "card_session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmocka_all.h"

static char directory[] = "/tmp/jumpcore-cli-XXXXXX";
char out[TEXT_BYTES];
char err[TEXT_BYTES];

/* ---- running things -------------------------------------------------------- */

size_t read_file(const char *name, char *text)
{
    FILE *file = fopen(name, "rb");
    if (!file)
        fail_msg("cannot open %s", name);
    size_t bytes = file ? fread(text, 1, TEXT_BYTES - 1, file) : 0;
    if (file)
        fclose(file);
    text[bytes] = '\0';
    return bytes;
}

int shell(const char *command)
{
    const int status = system(command);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int jumpcore(const char *arguments)
{
    char command[4096];
    snprintf(command, sizeof command, "timeout 60 " JUMPCORE " %s >out 2>err", arguments);
    const int code = shell(command);
    read_file("out", out);
    read_file("err", err);
    return code;
}

void expect_error(const char *arguments, int code, const char *part)
{
    const int got = jumpcore(arguments);
    if (got != code || !strstr(err, part))
        fail_msg("jumpcore %s: exit code %d, not %d, or not '%s' in: %s", arguments, got, code,
                 part, err);
    assert_string_equal(out, "");
}

void make(const char *command)
{
    char line[4096];
    snprintf(line, sizeof line, "{ %s; } >log 2>&1", command);
    const int code = shell(line);
    if (code == 127) {
        print_message("skipped: a program of '%s' is not installed\n", command);
        skip();
    }
    if (code != 0)
        fail_msg("exit code %d from: %s", code, command);
}

cJSON *json(void)
{
    cJSON *value = cJSON_Parse(out);
    if (!value)
        fail_msg("not JSON: %s", out);
    return value;
}

const cJSON *get(const cJSON *object, const char *key)
{
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(object, key);
    if (!value)
        fail_msg("no '%s' in: %s", key, out);
    return value;
}

const cJSON *with_path(const cJSON *array, const char *path)
{
    const cJSON *element;
    cJSON_ArrayForEach(element, array) if (strcmp(get(element, "path")->valuestring, path) ==
                                           0) return element;
    fail_msg("no '%s' in: %s", path, out);
    return NULL;
}

void expect_number(const cJSON *object, const char *key, double value)
{
    const cJSON *number = get(object, key);
    if (!cJSON_IsNumber(number) || number->valuedouble != value)
        fail_msg("'%s' is not %.0f in: %s", key, value, out);
}

void expect_text(const cJSON *object, const char *key, const char *value)
{
    const cJSON *text = get(object, key);
    if (!cJSON_IsString(text) || strcmp(text->valuestring, value) != 0)
        fail_msg("'%s' is not '%s' in: %s", key, value, out);
}

void expect_problem(const char *part)
{
    cJSON *report = json();
    const cJSON *problem;
    cJSON_ArrayForEach(problem, get(report, "problems")) if (strstr(problem->valuestring, part))
    {
        cJSON_Delete(report);
        return;
    }
    fail_msg("no problem with '%s' in: %s", part, out);
}

/* ---- images ------------------------------------------------------------------ */

/* 160 MB, one MBR partition at 1 MB with FAT16, 32 KB clusters and its data area
 * at 4 MB (2048 + 5952 reserved + 128 for two FATs + 64 root sectors = 8192). */
void make_good_card(void)
{
    make("rm -f card.img && truncate -s 160M card.img"
         " && mkfs.fat -F 16 -s 64 -R 5952 --offset 2048 card.img 162816"
         " && printf '\\200\\0\\0\\0\\6\\0\\0\\0\\0\\010\\0\\0\\0\\370\\4\\0' |"
         "    dd of=card.img bs=1 seek=446 conv=notrunc"
         " && printf '\\125\\252' | dd of=card.img bs=1 seek=510 conv=notrunc"
         " && mmd -i card.img@@1M ::/drums");
}

/* The same without a partition table and easier to damage: FAT16, 2 KB clusters. */
void make_plain_card(void)
{
    make("rm -f plain.img && truncate -s 32M plain.img && mkfs.fat -F 16 -s 4 plain.img"
         " && mmd -i plain.img ::/drums"
         " && mcopy -i plain.img long.wav ::/drums/long.wav"
         " && mcopy -i plain.img short.wav ::/short.wav");
}

static void put_le(FILE *file, uint32_t value, int bytes)
{
    for (int i = 0; i < bytes; i++, value >>= 8)
        fputc((int)(value & 255), file);
}

/* A WAV whose audio is a counter, so that no two places are alike. */
static void write_wav(const char *name, int tag, int channels, int bits, uint32_t frames,
                      uint32_t cue_points)
{
    const int frame_bytes = channels * bits / 8;
    FILE *file = fopen(name, "wb");
    if (!file)
        fail_msg("cannot write %s", name);
    if (!file)
        return;
    fputs("RIFF", file);
    put_le(file, 0, 4);
    fputs("WAVEfmt ", file);
    put_le(file, 16, 4);
    put_le(file, (uint32_t)tag, 2);
    put_le(file, (uint32_t)channels, 2);
    put_le(file, 44100, 4);
    put_le(file, 44100u * (uint32_t)frame_bytes, 4);
    put_le(file, (uint32_t)frame_bytes, 2);
    put_le(file, (uint32_t)bits, 2);
    if (cue_points > 0) {
        fputs("cue ", file);
        put_le(file, 4 + 24 * cue_points, 4);
        put_le(file, cue_points, 4);
        for (uint32_t i = 0; i < cue_points; i++) {
            put_le(file, i, 4);
            put_le(file, 0, 4);
            fputs("data", file);
            put_le(file, 0, 8);
            put_le(file, i * (frames / cue_points), 4);
        }
    }
    fputs("data", file);
    put_le(file, frames * (uint32_t)frame_bytes, 4);
    for (uint32_t i = 0; i < frames * (uint32_t)frame_bytes / 2; i++)
        put_le(file, i * 40503u >> 7, 2);
    fclose(file);
}

int session_begin(void **state)
{
    (void)state;
    if (!mkdtemp(directory) || chdir(directory) != 0)
        return -1;
    setenv("MTOOLS_SKIP_CHECK", "1", 1);
    setenv("LC_ALL", "C.UTF-8", 1); /* for the names that mtools is given */
    write_wav("short.wav", 1, 2, 16, 550, 0);
    write_wav("long.wav", 1, 2, 16, 150000, 0);
    write_wav("sliced.wav", 1, 2, 16, 20000, 8);
    write_wav("adpcm.wav", 2, 1, 8, 100, 0);
    write_wav("many.wav", 1, 24, 16, 100, 0);
    write_wav("double.wav", 3, 2, 64, 100, 0);
    write_wav("cut.wav", 1, 2, 16, 1100, 0);
    return truncate("cut.wav", 44 + 500 * 4) == 0 ? 0 : -1;
}

int session_end(void **state)
{
    char command[64];
    (void)state;
    if (chdir("/") != 0)
        return -1;
    snprintf(command, sizeof command, "rm -rf %s", directory);
    return shell(command);
}
