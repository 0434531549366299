/*
 * jumpcore ls, check and cat as a person runs them, on images made by mkfs.fat,
 * mkfs.exfat and mtools, whole and damaged. Expected listings and bytes are what
 * the test itself copied there with mtools.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>
#include <cmocka.h>
#include <unistd.h>

#include "bench/bench_card_file.h"

enum { TEXT_BYTES = 1 << 20 };

static char directory[] = "/tmp/jumpcore-cli-XXXXXX";
static char out[TEXT_BYTES];
static char err[TEXT_BYTES];

/* ---- running things -------------------------------------------------------- */

static size_t read_file(const char *name, char *text)
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

static int shell(const char *command)
{
    const int status = system(command);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Runs "jumpcore ARGUMENTS" in the test's directory; `out` and `err` hold what it
 * printed. Returns its exit code. */
static int jumpcore(const char *arguments)
{
    char command[4096];
    snprintf(command, sizeof command, "timeout 60 " JUMPCORE " %s >out 2>err", arguments);
    const int code = shell(command);
    read_file("out", out);
    read_file("err", err);
    return code;
}

static void expect_error(const char *arguments, int code, const char *part)
{
    const int got = jumpcore(arguments);
    if (got != code || !strstr(err, part))
        fail_msg("jumpcore %s: exit code %d, not %d, or not '%s' in: %s", arguments, got, code,
                 part, err);
    assert_string_equal(out, "");
}

/* For making images; a missing program skips the test. */
static void make(const char *command)
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

static cJSON *json(void)
{
    cJSON *value = cJSON_Parse(out);
    if (!value)
        fail_msg("not JSON: %s", out);
    return value;
}

static const cJSON *get(const cJSON *object, const char *key)
{
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(object, key);
    if (!value)
        fail_msg("no '%s' in: %s", key, out);
    return value;
}

/* The element of an array of objects whose "path" is that. */
static const cJSON *with_path(const cJSON *array, const char *path)
{
    const cJSON *element;
    cJSON_ArrayForEach(element, array) if (strcmp(get(element, "path")->valuestring, path) ==
                                           0) return element;
    fail_msg("no '%s' in: %s", path, out);
    return NULL;
}

static void expect_number(const cJSON *object, const char *key, double value)
{
    const cJSON *number = get(object, key);
    if (!cJSON_IsNumber(number) || number->valuedouble != value)
        fail_msg("'%s' is not %.0f in: %s", key, value, out);
}

static void expect_text(const cJSON *object, const char *key, const char *value)
{
    const cJSON *text = get(object, key);
    if (!cJSON_IsString(text) || strcmp(text->valuestring, value) != 0)
        fail_msg("'%s' is not '%s' in: %s", key, value, out);
}

static void expect_problem(const char *part)
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
static void make_good_card(void)
{
    make("rm -f card.img && truncate -s 160M card.img"
         " && mkfs.fat -F 16 -s 64 -R 5952 --offset 2048 card.img 162816"
         " && printf '\\200\\0\\0\\0\\6\\0\\0\\0\\0\\010\\0\\0\\0\\370\\4\\0' |"
         "    dd of=card.img bs=1 seek=446 conv=notrunc"
         " && printf '\\125\\252' | dd of=card.img bs=1 seek=510 conv=notrunc"
         " && mmd -i card.img@@1M ::/drums");
}

/* The same without a partition table and easier to damage: FAT16, 2 KB clusters. */
static void make_plain_card(void)
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

/* ---- ls ------------------------------------------------------------------------- */

static void ls_lists_sizes_and_names_and_marks_directories(void **state)
{
    (void)state;
    make_good_card();
    make("printf 12345 >five.txt && mcopy -i card.img@@1M five.txt short.wav ::/"
         " && mcopy -i card.img@@1M short.wav '::/drums/Schöne Töne ♥ 鼓.wav'");
    assert_int_equal(jumpcore("ls card.img"), 0);
    assert_string_equal(out, "        -  drums/\n"
                             "      5 B  five.txt\n"
                             "   2.2 KB  short.wav\n");
    assert_string_equal(err, "");
    assert_int_equal(jumpcore("ls card.img:/DRUMS/"), 0);
    assert_string_equal(out, "   2.2 KB  Schöne Töne ♥ 鼓.wav\n");
    assert_int_equal(jumpcore("ls card.img:/five.txt"), 0);
    assert_string_equal(out, "      5 B  five.txt\n");
}

static void ls_json_is_an_array_of_path_name_size_and_directory(void **state)
{
    (void)state;
    make_good_card();
    make("mcopy -i card.img@@1M short.wav '::/drums/Ünï.wav'");
    assert_int_equal(jumpcore("ls --json card.img:/drums"), 0);
    cJSON *list = json();
    assert_true(cJSON_IsArray(list));
    assert_int_equal(cJSON_GetArraySize(list), 1);
    const cJSON *entry = with_path(list, "/drums/Ünï.wav");
    expect_text(entry, "name", "Ünï.wav");
    expect_number(entry, "size", 2244);
    assert_true(cJSON_IsFalse(get(entry, "directory")));
    cJSON_Delete(list);

    assert_int_equal(jumpcore("ls --json card.img"), 0);
    list = json();
    assert_true(cJSON_IsTrue(get(with_path(list, "/drums"), "directory")));
    cJSON_Delete(list);
}

static void ls_passes_over_hidden_files_unless_asked(void **state)
{
    (void)state;
    make_good_card();
    make("mcopy -i card.img@@1M short.wav '::/._kick.wav' && mcopy -i card.img@@1M short.wav "
         "::/h.wav"
         " && mattrib -i card.img@@1M +h ::/h.wav && mdel -i card.img@@1M ::/none || true");
    assert_int_equal(jumpcore("ls card.img"), 0);
    assert_string_equal(out, "        -  drums/\n");
    assert_int_equal(jumpcore("ls -a card.img"), 0);
    assert_non_null(strstr(out, "._kick.wav\n"));
    assert_non_null(strstr(out, "h.wav\n"));
}

static void an_empty_exfat_card_is_listed_and_checked(void **state)
{
    (void)state;
    make("rm -f ex.img && truncate -s 64M ex.img && mkfs.exfat -c 32K ex.img");
    assert_int_equal(jumpcore("ls ex.img"), 0);
    assert_string_equal(out, "");
    assert_int_equal(jumpcore("ls --json ex.img"), 0);
    assert_string_equal(out, "[]\n");
    assert_int_equal(jumpcore("check --json ex.img"), 0);
    cJSON *report = json();
    expect_text(report, "file_system", "exFAT");
    expect_text(report, "partition_table", "none");
    expect_number(report, "cluster_bytes", 32768);
    assert_int_equal(cJSON_GetArraySize(get(report, "samples")), 0);
    cJSON_Delete(report);
    expect_problem("there are no samples on it");
}

/* gpt.img: a GPT with one exFAT partition at 4 MB that Linux filled with tree/. */
static void make_exfat_card(void)
{
    make("rm -rf gpt.img tree && mkdir -p 'tree/Schöne Töne/鼓/барабан' && : >tree/empty.wav"
         " && cp long.wav 'tree/Schöne Töne/鼓/барабан/ドラム ♥ 🥁.wav'"
         " && cp sliced.wav tree/sliced.wav && cp short.wav tree/._short.wav"
         " && cp short.wav tree/$(printf 'L%.0s' $(seq 250)).wav"
         " && truncate -s 64M gpt.img && sgdisk -n 1:8192:+56M -t 1:0700 gpt.img");
    if (shell("command -v mkfs.exfat mount.exfat-fuse losetup >log"
              " && mkdir -p mnt && L=$(losetup -f --show -o 4M --sizelimit 56M gpt.img 2>log)"
              " && { mkfs.exfat -c 32K $L && mount.exfat-fuse $L mnt"
              "      && { cp -r tree/. mnt/; K=$?; umount mnt; }; losetup -d $L; } >log 2>&1"
              " && exit ${K:-1}") != 0) {
        print_message("skipped: no exfat-fuse, or no loop devices for it\n");
        skip();
    }
}

static void an_exfat_card_with_gpt_gives_back_what_linux_wrote(void **state)
{
    (void)state;
    make_exfat_card();
    assert_int_equal(jumpcore("ls --json gpt.img"), 0);
    cJSON *list = json();
    assert_int_equal(cJSON_GetArraySize(list), 4); /* not ._short.wav */
    expect_number(with_path(list, "/empty.wav"), "size", 0);
    assert_true(cJSON_IsTrue(get(with_path(list, "/Schöne Töne"), "directory")));
    cJSON_Delete(list);
    assert_int_equal(shell("cd tree && find . -type f | cut -c2- | while read -r f; do"
                           "  " JUMPCORE " cat \"../gpt.img:$f\" | cmp - \".$f\" || exit 1; done"),
                     0);
    assert_int_equal(jumpcore("cat 'gpt.img:/SCHÖNE TÖNE/鼓/БАРАБАН/ドラム ♥ 🥁.WAV'"), 0);
    make("cmp out long.wav");

    assert_int_equal(jumpcore("check --json gpt.img"), 1); /* empty.wav */
    cJSON *report = json();
    expect_text(report, "partition_table", "GPT");
    expect_text(report, "file_system", "exFAT");
    assert_true(cJSON_IsTrue(get(report, "fits_device")));
    assert_int_equal(cJSON_GetArraySize(get(report, "samples")), 4);
    expect_number(with_path(get(report, "samples"), "/sliced.wav"), "slices", 8);
    cJSON_Delete(report);

    make("dd if=/dev/zero of=gpt.img bs=512 seek=1 count=1 conv=notrunc"); /* the main header */
    assert_int_equal(jumpcore("cat gpt.img:/sliced.wav"), 0);
    make("cmp out sliced.wav");
    assert_int_equal(jumpcore("check --json gpt.img"), 1);
    expect_problem("the main GPT partition table is damaged, its backup was used");
}

/* ---- cat ------------------------------------------------------------------------- */

static void cat_writes_the_bytes_that_mtools_copied(void **state)
{
    static const int sizes[] = {0, 1, 511, 512, 513, 32768, 32769, 600000};

    (void)state;
    make_good_card();
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        char command[256];
        snprintf(command, sizeof command,
                 "head -c %d long.wav >part && mcopy -o -i card.img@@1M part ::/drums/part",
                 sizes[i]);
        make(command);
        assert_int_equal(jumpcore("cat card.img:/Drums/PART"), 0);
        make("cmp out part");
    }
}

static void cat_puts_the_fragments_of_a_file_in_order(void **state)
{
    (void)state;
    make("rm -f frag.img && truncate -s 32M frag.img && mkfs.fat -F 16 -s 4 frag.img"
         " && mkdir -p many && for i in $(seq 100 399); do cp short.wav many/s$i.wav; done"
         " && mcopy -i frag.img many/*.wav ::/"
         " && mdel -i frag.img $(seq -f '::/s%g.wav' 101 2 399)"
         " && mcopy -i frag.img long.wav ::/long.wav");
    assert_int_equal(jumpcore("cat frag.img:/long.wav"), 0);
    make("cmp out long.wav");
    assert_int_equal(jumpcore("check --json frag.img"), 0);
    cJSON *report = json();
    const cJSON *sample = with_path(get(report, "samples"), "/long.wav");
    assert_true(get(sample, "fragments")->valuedouble > 64);
    assert_true(cJSON_IsTrue(get(sample, "playable")));
    cJSON_Delete(report);
    expect_problem("copy the files to a freshly formatted card");
}

static void cat_says_when_its_output_is_full(void **state)
{
    (void)state;
    make_plain_card();
    assert_int_equal(shell(JUMPCORE " cat plain.img:/drums/long.wav >/dev/full 2>err"), 1);
    read_file("err", err);
    assert_non_null(strstr(err, "jumpcore cat: cannot write the output"));
}

static void cat_writes_what_comes_before_a_read_error(void **state)
{
    static char whole[TEXT_BYTES];

    (void)state;
    make_plain_card();
    const size_t size = read_file("long.wav", whole);
    bool in_the_middle = false;
    setenv("ASAN_OPTIONS", "verify_asan_link_order=0", 1);
    for (int reads = 0; reads < 100; reads++) { /* then the card is pulled out */
        char command[2048];
        snprintf(command, sizeof command,
                 "LD_PRELOAD=" READ_FAULT " READ_FAULT_AFTER=%d READ_FAULT_ERRNO=5 " JUMPCORE
                 " cat plain.img:/drums/long.wav >out 2>err",
                 reads);
        const int code = shell(command);
        const size_t got = read_file("out", out);
        read_file("err", err);
        assert_memory_equal(out, whole, got);
        if (code == 0) {
            assert_int_equal(got, size);
            assert_true(in_the_middle);
            return;
        }
        assert_int_equal(code, 1);
        assert_true(got < size);
        assert_non_null(strstr(err, "reported a read error; try again"));
        in_the_middle |= got > 0;
    }
    fail_msg("100 reads were not enough");
}

/* ---- check ----------------------------------------------------------------------- */

static void check_is_content_with_a_good_card(void **state)
{
    (void)state;
    make_good_card();
    make("mcopy -i card.img@@1M sliced.wav ::/drums/ && mcopy -i card.img@@1M five.txt ::/"
         " && mcopy -i card.img@@1M short.wav ::/._short.wav");
    assert_int_equal(jumpcore("check --json card.img"), 0);
    cJSON *report = json();
    expect_text(report, "partition_table", "MBR");
    expect_text(report, "file_system", "FAT16");
    expect_number(report, "cluster_bytes", 32768);
    assert_true(cJSON_IsTrue(get(report, "aligned")));
    assert_true(cJSON_IsTrue(get(report, "fits_device")));
    assert_int_equal(cJSON_GetArraySize(get(report, "problems")), 0);
    assert_int_equal(cJSON_GetArraySize(get(report, "samples")), 1);
    const cJSON *sample = with_path(get(report, "samples"), "/drums/sliced.wav");
    assert_true(cJSON_IsTrue(get(sample, "playable")));
    assert_true(cJSON_IsNull(get(sample, "reason")));
    expect_text(sample, "format", "PCM");
    expect_number(sample, "bits", 16);
    expect_number(sample, "channels", 2);
    expect_number(sample, "sample_rate", 44100);
    expect_number(sample, "frames", 20000);
    expect_number(sample, "slices", 8);
    expect_number(sample, "fragments", 1);
    cJSON_Delete(report);

    assert_int_equal(jumpcore("check card.img"), 0);
    assert_non_null(strstr(out, "MBR, partition 1 of"));
    assert_non_null(strstr(out, "begins at sector 8192, aligned to 4 MB"));
    assert_non_null(strstr(
        out, "plays  /drums/sliced.wav  16-bit PCM stereo 44100 Hz, 0:00.5, 8 slices, 1 frag"));
    assert_null(strstr(out, "problems"));
    assert_non_null(strstr(out, "1 of 1 sample can be played; 1 hidden file passed over."));
}

static void check_names_what_is_not_played(void **state)
{
    (void)state;
    make_good_card();
    make("printf 'ID3\\3aaaaaaaaaaaaaaaaaa' >a.mp3"
         " && mcopy -i card.img@@1M adpcm.wav many.wav double.wav cut.wav a.mp3 short.wav ::/");
    assert_int_equal(jumpcore("check --json card.img"), 1);
    cJSON *report = json();
    const cJSON *samples = get(report, "samples");
    expect_text(with_path(samples, "/adpcm.wav"), "reason", "ADPCM (format 2)");
    expect_text(with_path(samples, "/many.wav"), "reason", "24 channels");
    expect_text(with_path(samples, "/double.wav"), "reason", "64-bit float");
    expect_text(with_path(samples, "/a.mp3"), "reason", "an MP3 file, not a WAV");
    assert_true(cJSON_IsNull(get(with_path(samples, "/a.mp3"), "channels")));
    expect_number(with_path(samples, "/many.wav"), "channels", 24);
    assert_true(cJSON_IsTrue(get(with_path(samples, "/cut.wav"), "playable")));
    assert_true(cJSON_IsTrue(get(with_path(samples, "/short.wav"), "playable")));
    cJSON_Delete(report);
    expect_problem("'/cut.wav' is cut short: 600 of its 1100 frames are missing");
    expect_problem("4 samples are of a kind that is not played; convert");

    assert_int_equal(jumpcore("check card.img"), 1);
    assert_non_null(strstr(out, "  no     /many.wav    24 channels\n"));
    assert_non_null(strstr(out, "\n2 of 6 samples can be played.\n"));
}

static void check_advises_on_clusters_and_alignment(void **state)
{
    (void)state;
    make_plain_card();
    assert_int_equal(jumpcore("check --json plain.img"), 0);
    expect_problem("format with exFAT/FAT32, 32 KB clusters");
    expect_problem("no multiple of 4 MB");
    cJSON *report = json();
    assert_true(cJSON_IsFalse(get(report, "aligned")));
    cJSON_Delete(report);
}

static void check_notices_a_partition_that_leaves_room(void **state)
{
    (void)state;
    make_good_card();
    make("mcopy -i card.img@@1M short.wav ::/ && truncate -s 320M card.img");
    assert_int_equal(jumpcore("check --json card.img"), 0);
    expect_problem("covers 159 MB of the card's 320 MB");
}

static void a_sample_that_the_card_lost_is_to_be_copied_not_converted(void **state)
{
    (void)state;
    make_good_card();
    make("head -c 5000 /dev/zero >lost.wav && mcopy -i card.img@@1M lost.wav ::/");
    assert_int_equal(jumpcore("check --json card.img"), 1);
    cJSON *report = json();
    assert_true(cJSON_IsFalse(get(with_path(get(report, "samples"), "/lost.wav"), "playable")));
    assert_int_equal(cJSON_GetArraySize(get(report, "problems")), 1); /* not "convert" */
    cJSON_Delete(report);
    expect_problem("1 sample begins with zeros instead of a WAV header; copy it anew");
}

static void check_sees_a_partition_that_claims_more_than_the_card_has(void **state)
{
    (void)state;
    make_good_card();
    make("mcopy -i card.img@@1M short.wav ::/"
         " && printf '\\1' | dd of=card.img bs=1 seek=461 conv=notrunc"); /* 8 GB more */
    assert_int_equal(jumpcore("check --json card.img"), 0);               /* the file system fits */
    cJSON *report = json();
    assert_true(cJSON_IsFalse(get(report, "fits_device")));
    assert_true(cJSON_IsTrue(get(with_path(get(report, "samples"), "/short.wav"), "playable")));
    cJSON_Delete(report);
    expect_problem("the partition ends beyond the card");
}

/* ---- damage ----------------------------------------------------------------------- */

static void a_card_smaller_than_its_partition_is_suspected_to_be_counterfeit(void **state)
{
    (void)state;
    make_good_card();
    make("truncate -s 80M card.img");
    assert_int_equal(jumpcore("check --json card.img"), 1);
    cJSON *report = json();
    expect_text(report, "partition_table", "MBR");
    assert_true(cJSON_IsFalse(get(report, "fits_device")));
    assert_true(cJSON_IsNull(get(report, "aligned")));
    cJSON_Delete(report);
    expect_problem("counterfeit (try f3)");
    assert_int_equal(jumpcore("check card.img"), 1);
    assert_non_null(strstr(out, "The card's files cannot be read."));
    expect_error("ls card.img", 1, "counterfeit (try f3)");

    make_plain_card();
    make("truncate -s 16M plain.img");
    assert_int_equal(jumpcore("check --json plain.img"), 1);
    report = json();
    assert_true(cJSON_IsFalse(get(report, "fits_device")));
    cJSON_Delete(report);
}

/* plain.img: 1 reserved... read from its own boot sector, as the FAT standard says. */
typedef struct fat_layout {
    long fat[2];
    long root;
    long data;
    long cluster_bytes;
} fat_layout;

static uint8_t image[1 << 20]; /* the first megabyte: FATs, root and first clusters */

static fat_layout open_plain(void)
{
    FILE *file = fopen("plain.img", "rb");
    assert_non_null(file);
    if (!file || fread(image, 1, sizeof image, file) != sizeof image)
        fail_msg("plain.img is too short");
    if (file)
        fclose(file);
    const long reserved = image[14] + 256 * image[15];
    const long fat_sectors = image[22] + 256 * image[23];
    const long root_entries = image[17] + 256 * image[18];
    fat_layout l = {{reserved * 512, (reserved + fat_sectors) * 512},
                    (reserved + 2 * fat_sectors) * 512,
                    0,
                    512L * image[13]};
    l.data = l.root + root_entries * 32;
    return l;
}

static void save_plain(void)
{
    FILE *file = fopen("plain.img", "r+b");
    assert_non_null(file);
    if (!file || fwrite(image, 1, sizeof image, file) != sizeof image)
        fail_msg("cannot write plain.img");
    if (file)
        fclose(file);
}

/* The directory entry with that 8.3 name. */
static uint8_t *entry_of(const char *name)
{
    uint8_t *entry = memmem(image, sizeof image, name, 11);
    if (!entry)
        fail_msg("no entry '%s'", name);
    return entry;
}

static long first_cluster(const uint8_t *entry)
{
    return entry[26] + 256 * entry[27];
}

static void set_fat(const fat_layout *l, long cluster, unsigned value)
{
    for (int copy = 0; copy < 2; copy++) {
        image[l->fat[copy] + 2 * cluster] = (uint8_t)value;
        image[l->fat[copy] + 2 * cluster + 1] = (uint8_t)(value >> 8);
    }
}

/* Expects long.wav not to be played for a reason with `part`, and short.wav to. */
static void expect_long_damaged(const char *part)
{
    assert_int_equal(jumpcore("check --json plain.img"), 1);
    cJSON *report = json();
    const cJSON *samples = get(report, "samples");
    assert_true(cJSON_IsFalse(get(with_path(samples, "/drums/long.wav"), "playable")));
    assert_non_null(
        strstr(get(with_path(samples, "/drums/long.wav"), "reason")->valuestring, part));
    assert_true(cJSON_IsTrue(get(with_path(samples, "/short.wav"), "playable")));
    cJSON_Delete(report);
    expect_problem("'/drums/long.wav' cannot be played: ");
    expect_problem(part);
}

/* Not "no file system, format it": formatting would erase what is still there. */
static void an_image_cut_short_before_its_partition_is_not_called_unformatted(void **state)
{
    (void)state;
    make_good_card();
    make("truncate -s 40000 card.img");
    assert_int_equal(jumpcore("check --json card.img"), 1);
    cJSON *report = json();
    expect_text(report, "partition_table", "MBR");
    assert_true(cJSON_IsFalse(get(report, "fits_device")));
    assert_int_equal(cJSON_GetArraySize(get(report, "problems")), 1);
    cJSON_Delete(report);
    expect_problem("the partition ends beyond the card");
    expect_error("ls card.img", 1, "the image cut short");
    expect_error("ls --partition 1 card.img", 1, "the image cut short");
    expect_error("ls --partition 2 card.img", 1, "there is no partition of that number");
}

static void a_broken_cluster_chain_is_named_and_other_samples_still_checked(void **state)
{
    static const struct {
        long at;
        unsigned value;
        const char *part;
    } damages[] = {{3, 0, "runs into free space"},
                   {3, 0xFFFF, "ends before the file does"},
                   {3, 0xFFF7, "runs into a cluster marked bad"},
                   {3, 0xFFE0, "leaves the volume"}};

    (void)state;
    for (size_t i = 0; i < sizeof damages / sizeof damages[0]; i++) {
        make_plain_card();
        fat_layout l = open_plain();
        const long first = first_cluster(entry_of("LONG    WAV"));
        set_fat(&l, first + damages[i].at, damages[i].value);
        save_plain();
        expect_long_damaged(damages[i].part);
        expect_error("cat plain.img:/drums/long.wav", 1, damages[i].part);
    }
    make_plain_card(); /* in a circle */
    fat_layout l = open_plain();
    const long first = first_cluster(entry_of("LONG    WAV"));
    set_fat(&l, first + 3, (unsigned)first);
    save_plain();
    expect_long_damaged("runs in a circle");
}

static void files_that_share_clusters_are_found(void **state)
{
    (void)state;
    make_plain_card();
    fat_layout l = open_plain();
    uint8_t *short_entry = entry_of("SHORT   WAV");
    const long first = first_cluster(entry_of("LONG    WAV"));
    set_fat(&l, first_cluster(short_entry), (unsigned)(first + 1)); /* was the second cluster */
    save_plain();
    assert_int_equal(jumpcore("check --json plain.img"), 1);
    expect_problem("'/short.wav' cannot be played: two files share the same clusters");
    expect_problem("(the other is '/drums/long.wav')");
    cJSON *report = json();
    assert_true(
        cJSON_IsTrue(get(with_path(get(report, "samples"), "/drums/long.wav"), "playable")));
    cJSON_Delete(report);
}

static void directories_inside_themselves_do_not_hang(void **state)
{
    (void)state;
    make_plain_card();
    make("mmd -i plain.img ::/drums/inner");
    open_plain();
    uint8_t *inner = entry_of("INNER      ");
    const long drums = first_cluster(entry_of("DRUMS      "));
    inner[26] = (uint8_t)drums;
    inner[27] = (uint8_t)(drums >> 8);
    save_plain();
    assert_int_equal(jumpcore("check --json plain.img"), 1);
    expect_problem("'/drums/inner' is the same directory as another one");
    cJSON *report = json();
    assert_int_equal(cJSON_GetArraySize(get(report, "samples")), 2);
    cJSON_Delete(report);
}

static void a_wiped_boot_sector_is_no_file_system(void **state)
{
    (void)state;
    make_plain_card();
    make("dd if=/dev/zero of=plain.img bs=512 count=1 conv=notrunc");
    assert_int_equal(jumpcore("check --json plain.img"), 1);
    cJSON *report = json();
    assert_true(cJSON_IsNull(get(report, "file_system")));
    assert_true(cJSON_IsNull(get(report, "cluster_bytes")));
    assert_int_equal(cJSON_GetArraySize(get(report, "samples")), 0);
    cJSON_Delete(report);
    expect_problem("no file system was recognised");
    expect_error("ls plain.img", 1, "is no image of a card");
}

/* ---- bench --------------------------------------------------------------------------- */

static void bench_reads_inside_a_file_on_the_card(void **state)
{
    (void)state;
    make_good_card();
    make("mcopy -i card.img@@1M long.wav ::/drums/");
    assert_int_equal(jumpcore("bench --reads 50 --force -o r.csv --json card.img:/drums/long.wav"),
                     0);
    cJSON *summary = json();
    expect_number(summary, "reads", 50);
    expect_text(summary, "file", "/drums/long.wav");
    expect_number(summary, "fragments", 1);
    cJSON_Delete(summary);
    read_file("r.csv", out);
    assert_non_null(strstr(out, "# target: card.img:/drums/long.wav\n"));
    assert_non_null(strstr(out, "# file: /drums/long.wav\n# file_bytes: 600044\n# fragments: 1\n"));

    expect_error("bench card.img:/drums", 1, "that is a directory, not a file");
    expect_error("bench card.img:/none.wav", 1, "there is no file or directory");
    expect_error("bench --bytes 600045 card.img:/drums/long.wav", 1, "holds 600044 bytes");
    expect_error("bench short.wav:/a.wav", 1, "is no image of a card");
}

/* A device that notes what is read from it. */
typedef struct read_notes {
    uint64_t offsets[16];
    uint32_t bytes[16];
    int count;
} read_notes;

static const char *note_read(void *context, uint64_t offset, uint32_t bytes, bool *lost)
{
    read_notes *notes = context;
    (void)lost;
    assert_in_range(notes->count, 0, 15);
    notes->offsets[notes->count] = offset;
    notes->bytes[notes->count++] = bytes;
    return NULL;
}

/* frag.img and long.wav are left there by the test of cat. */
static void bench_reads_the_sectors_that_hold_the_range(void **state)
{
    static char disk[32 << 20];
    static char file[TEXT_BYTES];
    static char got[16 * 4096];
    bench_card_file on_card;
    read_notes notes;
    bool lost = false;
    int in_pieces = 0;

    (void)state;
    FILE *stream = fopen("frag.img", "rb");
    if (!stream || fread(disk, 1, sizeof disk, stream) != sizeof disk)
        fail_msg("cannot read frag.img");
    if (stream)
        fclose(stream);
    const size_t size = read_file("long.wav", file);
    assert_true(bench_card_file_open(&on_card, "frag.img:/long.wav", 819));
    const bench_source source =
        bench_card_file_source(&on_card, (bench_source){.read = note_read, .context = &notes});
    assert_int_equal(source.size_bytes, size);
    for (size_t at = 0; at + 819 <= size; at += 337) {
        size_t have = 0;
        notes.count = 0;
        assert_null(source.read(source.context, at, 819, &lost));
        for (int i = 0; i < notes.count; i++) {
            assert_true(notes.bytes[i] <= bench_card_file_device_bytes(819));
            memcpy(got + have, disk + notes.offsets[i], notes.bytes[i]);
            have += notes.bytes[i];
        }
        in_pieces += notes.count > 1;
        assert_memory_equal(got + at % 512, file + at, 819);
    }
    assert_true(in_pieces > 100); /* ranges across fragments were among them */
    bench_card_file_close(&on_card);
}

/* ---- people's slips ------------------------------------------------------------------ */

static void a_wrong_path_is_named(void **state)
{
    (void)state;
    make_plain_card();
    expect_error("ls plain.img:/nowhere", 1, "'/nowhere' in 'plain.img': there is no file");
    expect_error("ls plain.img:/short.wav/x", 1, "that is a file, not a directory");
    expect_error("cat plain.img:/drums", 1, "that is a directory, not a file");
    expect_error("cat plain.img:/", 1, "that is a directory, not a file");
    expect_error("cat plain.img:/nowhere.wav", 1, "there is no file");
    expect_error("ls plain.img:/$(printf 'a\\377b')", 1, "not valid UTF-8");
    expect_error("check plain.img:/drums", 2, "the whole card is checked");
}

static void a_wrong_target_is_named(void **state)
{
    (void)state;
    make_plain_card();
    make("rm -f empty.img fifo && : >empty.img && mkfifo fifo");
    expect_error("ls missing.img", 1, "there is no 'missing.img'");
    expect_error("ls empty.img", 1, "'empty.img' is empty");
    make("printf x >tiny.img");
    expect_error("ls tiny.img", 1, "'tiny.img' is empty or shorter than a sector");
    if (shell("truncate -s 3T huge.img 2>log") == 0) { /* where files may be that large */
        expect_error("ls huge.img", 1, "'huge.img' is larger than 2 TiB");
        expect_error("check --json huge.img", 1, "'huge.img' is larger than 2 TiB");
        make("rm huge.img");
    }
    expect_error("ls short.wav", 1, "'short.wav' is no image of a card");
    expect_error("ls .", 1, "'.' is a directory; name the card's device");
    expect_error("ls fifo", 1, "neither a disk nor an image");
    expect_error("ls /dev/null", 1, "neither a disk nor an image");
    expect_error("ls plain.img:drums", 1, "did you mean 'plain.img:/drums'?");
    expect_error("check missing.img", 1, "there is no 'missing.img'");
    expect_error("cat missing.img:/a.wav", 1, "there is no 'missing.img'");
}

static void a_target_may_have_colons_in_its_name(void **state)
{
    (void)state;
    make_plain_card();
    make("cp plain.img my:card:2.img && mkdir -p x: && cp plain.img x:/card.img");
    assert_int_equal(jumpcore("ls my:card:2.img:/drums"), 0);
    assert_non_null(strstr(out, "long.wav"));
    assert_int_equal(jumpcore("ls my:card:2.img"), 0);
    expect_error("ls x:/card.img", 1, "the first ':/' ends the name");
}

static void a_target_that_may_not_be_read_is_named(void **state)
{
    char command[1024];

    (void)state;
    make_plain_card();
    make("chmod 0 plain.img");
    if (geteuid() != 0) {
        expect_error("ls plain.img", 1, "may not be read by you; try again with sudo");
        return;
    }
    snprintf(command, sizeof command,
             "setpriv --reuid 65534 --regid 65534 --clear-groups " JUMPCORE " ls plain.img 2>err");
    make("chmod 755 .");
    const int code = shell(command);
    if (code > 2) {
        print_message("skipped: cannot become another user to run " JUMPCORE "\n");
        skip();
    }
    read_file("err", err);
    assert_int_equal(code, 1);
    assert_non_null(strstr(err, "may not be read by you; try again with sudo"));
}

static void wrong_usage_is_exit_code_2_and_help_is_on_standard_output(void **state)
{
    static const char *const commands[] = {"ls", "check", "cat"};
    char arguments[64];

    (void)state;
    make_plain_card();
    for (int i = 0; i < 3; i++) {
        snprintf(arguments, sizeof arguments, "%s", commands[i]);
        expect_error(arguments, 2, "--help' shows how to use it");
        snprintf(arguments, sizeof arguments, "%s --nonsense plain.img", commands[i]);
        expect_error(arguments, 2, "nonsense");
        snprintf(arguments, sizeof arguments, "%s plain.img:/a plain.img:/b", commands[i]);
        expect_error(arguments, 2, "at a time, please");
        snprintf(arguments, sizeof arguments, "%s --partition x plain.img", commands[i]);
        expect_error(arguments, 2, "--partition");
        snprintf(arguments, sizeof arguments, "%s --help", commands[i]);
        assert_int_equal(jumpcore(arguments), 0);
        assert_non_null(strstr(out, "Exit code: 0"));
        assert_string_equal(err, "");
    }
    expect_error("cat plain.img", 2, "give TARGET:PATH");
    expect_error("ls --partition 3 plain.img", 1, "there is no partition of that number");
}

/* ---- */

static int set_up(void **state)
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

static int tear_down(void **state)
{
    char command[64];
    (void)state;
    if (chdir("/") != 0)
        return -1;
    snprintf(command, sizeof command, "rm -rf %s", directory);
    return shell(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ls_lists_sizes_and_names_and_marks_directories),
        cmocka_unit_test(ls_json_is_an_array_of_path_name_size_and_directory),
        cmocka_unit_test(ls_passes_over_hidden_files_unless_asked),
        cmocka_unit_test(an_empty_exfat_card_is_listed_and_checked),
        cmocka_unit_test(an_exfat_card_with_gpt_gives_back_what_linux_wrote),
        cmocka_unit_test(cat_writes_the_bytes_that_mtools_copied),
        cmocka_unit_test(cat_puts_the_fragments_of_a_file_in_order),
        cmocka_unit_test(cat_says_when_its_output_is_full),
        cmocka_unit_test(cat_writes_what_comes_before_a_read_error),
        cmocka_unit_test(check_is_content_with_a_good_card),
        cmocka_unit_test(check_names_what_is_not_played),
        cmocka_unit_test(check_advises_on_clusters_and_alignment),
        cmocka_unit_test(check_notices_a_partition_that_leaves_room),
        cmocka_unit_test(a_sample_that_the_card_lost_is_to_be_copied_not_converted),
        cmocka_unit_test(check_sees_a_partition_that_claims_more_than_the_card_has),
        cmocka_unit_test(a_card_smaller_than_its_partition_is_suspected_to_be_counterfeit),
        cmocka_unit_test(an_image_cut_short_before_its_partition_is_not_called_unformatted),
        cmocka_unit_test(a_broken_cluster_chain_is_named_and_other_samples_still_checked),
        cmocka_unit_test(files_that_share_clusters_are_found),
        cmocka_unit_test(directories_inside_themselves_do_not_hang),
        cmocka_unit_test(a_wiped_boot_sector_is_no_file_system),
        cmocka_unit_test(bench_reads_inside_a_file_on_the_card),
        cmocka_unit_test(bench_reads_the_sectors_that_hold_the_range),
        cmocka_unit_test(a_wrong_path_is_named),
        cmocka_unit_test(a_wrong_target_is_named),
        cmocka_unit_test(a_target_may_have_colons_in_its_name),
        cmocka_unit_test(a_target_that_may_not_be_read_is_named),
        cmocka_unit_test(wrong_usage_is_exit_code_2_and_help_is_on_standard_output),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
