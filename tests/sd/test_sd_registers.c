/*
 * Registers of real cards. Sources, all public:
 *  [A] github.com/betovar/libmaple, "Reading SD Card Registers": CID, CSD and SCR
 *      of five cards read on Android (2012)
 *  [B] a microSD recorder's smoke-test log of 2026-05-14 (ESP32, SdFat's figures
 *      beside the raw registers) of a PNY 32 GB microSDHC
 *  [C] github.com/armbian/build pull request 246: sysfs of a Phison card, Linux's
 *      own decoding beside it
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "jumpcore/sd_card.h"
#include "jumpcore/sd_crc.h"

static void hex(const char *text, uint8_t *out, unsigned count)
{
    memset(out, 0, count);
    for (unsigned i = 0; i < count * 2; i++) {
        char c = text[i];
        unsigned digit = c >= 'a' ? (unsigned)(c - 'a' + 10) : (unsigned)(c - '0');
        out[i / 2] = (uint8_t)(out[i / 2] << 4 | digit);
    }
}

static jc_sd_card decode(const char *cid, const char *csd, const char *scr)
{
    uint8_t reg[16];
    jc_sd_card card;
    memset(&card, 0, sizeof card);
    hex(cid, reg, 16);
    assert_int_equal(jc_sd_decode_cid(reg, &card), JC_OK);
    hex(csd, reg, 16);
    assert_int_equal(jc_sd_decode_csd(reg, &card), JC_OK);
    hex(scr, reg, 8);
    assert_int_equal(jc_sd_decode_scr(reg, &card), JC_OK);
    return card;
}

/* [B]: "sector count: 61071360, manufacturer ID: 0x9F, OEM ID: TI, product: 00000,
 * revision: 6.5, serial: 0x33E0F659, manufactured: 11/2025, SD spec version: 6.00" */
static void a_pny_sdhc_card_of_2025_is_decoded_as_sdfat_does(void **state)
{
    (void)state;
    jc_sd_card card = decode("9f544930303030306533e0f659019b5d", "400e00325b590000e8f77f800a400039",
                             "02b5848300000000");
    assert_int_equal(card.sector_count, 61071360);
    assert_int_equal(card.kind, JC_SD_SDHC);
    assert_int_equal(card.manufacturer_id, 0x9f);
    assert_string_equal(card.oem, "TI");
    assert_string_equal(card.product, "00000");
    assert_int_equal(card.revision_major, 6);
    assert_int_equal(card.revision_minor, 5);
    assert_int_equal(card.serial, 0x33e0f659);
    assert_int_equal(card.year, 2025);
    assert_int_equal(card.month, 11);
    assert_int_equal(card.version_major, 6);
    assert_true(card.four_lanes);
    assert_int_equal(card.max_clock_hz, 25000000);
    assert_true(card.command_classes & 1 << 10); /* CMD6 */
}

/* [C]: date 11/2015, name SD16G, oemid 0x5048, manfid 0x27, serial 0xda89b829. */
static void a_phison_card_is_decoded_as_linux_does(void **state)
{
    (void)state;
    jc_sd_card card = decode("275048534431364730da89b82900fb61", "400e00325b59000073a77f800a4000eb",
                             "0235800201000000");
    assert_string_equal(card.product, "SD16G");
    assert_string_equal(card.oem, "PH");
    assert_string_equal(jc_sd_manufacturer(card.manufacturer_id), "Phison");
    assert_int_equal(card.serial, 0xda89b829);
    assert_int_equal(card.year, 2015);
    assert_int_equal(card.month, 11);
    assert_int_equal(card.sector_count, (0x73a7 + 1) * 1024); /* C_SIZE by hand */
    assert_int_equal(card.version_major, 3);
}

/* [A] SanDisk 2GB: C_SIZE 0xebb, C_SIZE_MULT 7, READ_BL_LEN 10 by hand:
 * 3772 * 512 * 1024 bytes. */
static void a_sandisk_sdsc_card_has_its_version_1_capacity(void **state)
{
    (void)state;
    jc_sd_card card = decode("03534453553032478000e22ef4009cfc", "002600325f5a83aefefbcfff928040de",
                             "0225800000000000");
    assert_int_equal(card.kind, JC_SD_SDSC);
    assert_int_equal(card.sector_count, 3772 * 1024);
    assert_string_equal(card.product, "SU02G");
    assert_string_equal(jc_sd_manufacturer(card.manufacturer_id), "SanDisk");
    assert_int_equal(card.serial, 0x00e22ef4);
    assert_int_equal(card.year, 2009);
    assert_int_equal(card.month, 12);
    assert_int_equal(card.version_major, 3);
}

/* [A] unlabeled 1GB and ATP 2GB (SCR 0125...: version 1.10). */
static void old_sdsc_cards_of_other_makers_are_decoded(void **state)
{
    (void)state;
    jc_sd_card card = decode("03534453553031478080baf50e009b8c", "002600325f5983ae7efbcfff924040d6",
                             "0225000000000000");
    assert_int_equal(card.sector_count, (0xeb9 + 1) * 512); /* READ_BL_LEN 9, MULT 7 */
    card = decode("09415041462055441047b00419007b36", "002f00325f5a83cf2db7ffbf96800068",
                  "0125000000000000");
    assert_int_equal(card.version_major, 1);
    assert_int_equal(card.version_minor, 10);
    assert_string_equal(card.product, "AF UD");
    assert_string_equal(card.oem, "AP");
}

/* The two sectors below and above 32 GB (section 5.3.3). The checksum is ours: no
 * real card lies exactly there. */
static void the_border_between_sdhc_and_sdxc_is_32_gb(void **state)
{
    (void)state;
    jc_sd_card card;
    uint8_t csd[16];
    hex("400e00325b590000ffff7f800a400000", csd, 16);
    csd[15] = jc_sd_crc7(csd, 15);
    assert_int_equal(jc_sd_decode_csd(csd, &card), JC_OK);
    assert_int_equal(card.kind, JC_SD_SDHC);
    hex("400e00325b59000100007f800a400000", csd, 16);
    csd[15] = jc_sd_crc7(csd, 15);
    assert_int_equal(jc_sd_decode_csd(csd, &card), JC_OK);
    assert_int_equal(card.kind, JC_SD_SDXC);
    hex("400e00325b59003fffff7f800a400000", csd, 16);
    csd[15] = jc_sd_crc7(csd, 15);
    assert_int_equal(jc_sd_decode_csd(csd, &card), JC_OK);
    assert_int_equal(card.sector_count, UINT32_MAX); /* 2 TiB has one sector too many */
}

static void damaged_and_unknown_registers_are_refused(void **state)
{
    (void)state;
    jc_sd_card card;
    uint8_t reg[16];
    hex("400e00325b590000e8f77f800a400039", reg, 16);
    for (unsigned bit = 8; bit < 128; bit++) {
        reg[15 - bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_int_equal(jc_sd_decode_csd(reg, &card), JC_ERR_SD_REGISTER);
        reg[15 - bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    reg[0] = 0x80; /* version 3: SDUC */
    reg[15] = jc_sd_crc7(reg, 15);
    assert_int_equal(jc_sd_decode_csd(reg, &card), JC_ERR_SD_REGISTER);
    hex("002d00325b5f83d5fefbff80168000cf", reg, 16); /* READ_BL_LEN 15 */
    reg[15] = jc_sd_crc7(reg, 15);
    assert_int_equal(jc_sd_decode_csd(reg, &card), JC_ERR_SD_REGISTER);
}

static void names_are_printable_whatever_the_card_says(void **state)
{
    (void)state;
    jc_sd_card card;
    uint8_t cid[16];
    hex("030a1b7f80ff414280bbccddee000f00", cid, 16);
    cid[15] = jc_sd_crc7(cid, 15);
    assert_int_equal(jc_sd_decode_cid(cid, &card), JC_OK);
    assert_string_equal(card.oem, "??");
    assert_string_equal(card.product, "???AB");
    assert_int_equal(card.month, 0); /* 15 is no month */
}

static void the_sd_status_tells_the_classes(void **state)
{
    (void)state;
    uint8_t status[64] = {0};
    jc_sd_card card;
    status[8] = 4;
    status[14] = 0x3a;
    status[15] = 30;
    status[21] = 0xf2;
    jc_sd_decode_status(status, &card);
    assert_int_equal(card.speed_class, 10);
    assert_int_equal(card.uhs_grade, 3);
    assert_int_equal(card.video_class, 30);
    assert_int_equal(card.application_class, 2);
    status[8] = 200;
    jc_sd_decode_status(status, &card);
    assert_int_equal(card.speed_class, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pny_sdhc_card_of_2025_is_decoded_as_sdfat_does),
        cmocka_unit_test(a_phison_card_is_decoded_as_linux_does),
        cmocka_unit_test(a_sandisk_sdsc_card_has_its_version_1_capacity),
        cmocka_unit_test(old_sdsc_cards_of_other_makers_are_decoded),
        cmocka_unit_test(the_border_between_sdhc_and_sdxc_is_32_gb),
        cmocka_unit_test(damaged_and_unknown_registers_are_refused),
        cmocka_unit_test(names_are_printable_whatever_the_card_says),
        cmocka_unit_test(the_sd_status_tells_the_classes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
