/* jumpcore cat and bench inside a file: the bytes are those that mtools copied. */
#include "card_session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/bench_card_file.h"
#include "cmocka_all.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cat_writes_the_bytes_that_mtools_copied),
        cmocka_unit_test(cat_puts_the_fragments_of_a_file_in_order),
        cmocka_unit_test(cat_says_when_its_output_is_full),
        cmocka_unit_test(cat_writes_what_comes_before_a_read_error),
        cmocka_unit_test(bench_reads_inside_a_file_on_the_card),
        cmocka_unit_test(bench_reads_the_sectors_that_hold_the_range),
    };
    return cmocka_run_group_tests(tests, session_begin, session_end);
}
