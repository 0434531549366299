#include <stddef.h>

#include "jumpcore/sd.h"

const char *jc_sd_kind_name(jc_sd_kind kind)
{
    switch (kind) {
    case JC_SD_SDSC:
        return "SDSC";
    case JC_SD_SDHC:
        return "SDHC";
    case JC_SD_SDXC:
        return "SDXC";
    }
    return "unknown";
}

const char *jc_sd_manufacturer(uint8_t manufacturer_id)
{
    static const struct {
        uint8_t id;
        const char *name;
    } known[] = {
        {0x01, "Panasonic"}, {0x02, "Toshiba/Kioxia"}, {0x03, "SanDisk"},     {0x09, "ATP"},
        {0x13, "Kingmax"},   {0x1b, "Samsung"},        {0x1d, "ADATA"},       {0x27, "Phison"},
        {0x28, "Lexar"},     {0x31, "Silicon Power"},  {0x41, "Kingston"},    {0x6f, "STEC"},
        {0x74, "Transcend"}, {0x76, "Patriot"},        {0x82, "Sony"},        {0x9c, "Angelbird"},
        {0x9f, "Kingston"},  {0xad, "Longsys"},        {0xfe, "Bulk (0xfe)"},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (known[i].id == manufacturer_id)
            return known[i].name;
    return "unknown";
}

const char *jc_sd_step_name(jc_sd_step step)
{
    switch (step) {
    case JC_SD_STEP_HIGH_SPEED:
        return "4 lanes, high speed";
    case JC_SD_STEP_DEFAULT:
        return "4 lanes, default speed";
    case JC_SD_STEP_SLOW:
        return "4 lanes, slowed down";
    case JC_SD_STEP_ONE_LANE:
        return "1 lane";
    case JC_SD_STEP_SPI:
        return "SPI";
    case JC_SD_STEPS:
        break;
    }
    return "unknown";
}

const char *jc_sd_error_name(int error)
{
    switch (error) {
    case JC_ERR_NO_SPACE:
        return "scattered";
    case JC_ERR_NO_MEDIUM:
        return "no_card";
    case JC_ERR_SD_NO_RESPONSE:
        return "no_response";
    case JC_ERR_SD_RESPONSE_CRC:
        return "response_crc";
    case JC_ERR_SD_RESPONSE:
        return "wrong_response";
    case JC_ERR_SD_COMMAND_CRC:
        return "command_crc";
    case JC_ERR_SD_DATA_CRC:
        return "data_crc";
    case JC_ERR_SD_DATA_TIMEOUT:
        return "data_timeout";
    case JC_ERR_SD_BUSY_TIMEOUT:
        return "busy_timeout";
    case JC_ERR_SD_ILLEGAL:
        return "illegal_command";
    case JC_ERR_SD_ADDRESS:
        return "address";
    case JC_ERR_SD_ECC:
        return "card_ecc";
    case JC_ERR_SD_CARD:
        return "card_error";
    case JC_ERR_SD_LOCKED:
        return "locked";
    default:
        return "other";
    }
}
