/* What the device tells a USB host about itself. */
#include <stddef.h>

#include "tusb.h"

enum { INTERFACE_CDC = 0, INTERFACE_CDC_DATA, INTERFACES };
enum { ENDPOINT_NOTIFY = 0x81, ENDPOINT_OUT = 0x02, ENDPOINT_IN = 0x82 };
enum { STRING_LANGUAGE, STRING_MAKER, STRING_PRODUCT, STRING_PORT };

uint8_t const *tud_descriptor_device_cb(void)
{
    static const tusb_desc_device_t device = {
        .bLength = sizeof device,
        .bDescriptorType = TUSB_DESC_DEVICE,
        .bcdUSB = 0x0200,
        .bDeviceClass = TUSB_CLASS_MISC,
        .bDeviceSubClass = MISC_SUBCLASS_COMMON,
        .bDeviceProtocol = MISC_PROTOCOL_IAD,
        .bMaxPacketSize0 = CFG_TUD_ENDPOINT0_SIZE,
        .idVendor = 0x2e8a, /* Raspberry Pi; 000a is its serial port */
        .idProduct = 0x000a,
        .bcdDevice = 0x0100,
        .iManufacturer = STRING_MAKER,
        .iProduct = STRING_PRODUCT,
        .bNumConfigurations = 1,
    };
    return (uint8_t const *)&device;
}

uint8_t const *tud_descriptor_configuration_cb(uint8_t index)
{
    static const uint8_t configuration[] = {
        TUD_CONFIG_DESCRIPTOR(1, INTERFACES, 0, TUD_CONFIG_DESC_LEN + TUD_CDC_DESC_LEN, 0, 100),
        TUD_CDC_DESCRIPTOR(INTERFACE_CDC, STRING_PORT, ENDPOINT_NOTIFY, 8, ENDPOINT_OUT,
                           ENDPOINT_IN, 64),
    };
    (void)index;
    return configuration;
}

static const char *string_text(uint8_t index)
{
    switch (index) {
    case STRING_MAKER:
    case STRING_PRODUCT:
        return "jumpcore";
    case STRING_PORT:
        return "jumpcore console";
    default:
        return NULL;
    }
}

uint16_t const *tud_descriptor_string_cb(uint8_t index, uint16_t language)
{
    enum { UNITS_MAX = 31 };
    static uint16_t descriptor[1 + UNITS_MAX];
    uint16_t units = 0;
    (void)language;
    if (index == STRING_LANGUAGE) {
        descriptor[1] = 0x0409; /* English */
        units = 1;
    } else {
        const char *text = string_text(index);
        if (text == NULL)
            return NULL;
        for (; units < UNITS_MAX && text[units] != '\0'; units++)
            descriptor[1 + units] = (uint8_t)text[units];
    }
    descriptor[0] = (uint16_t)(TUSB_DESC_STRING << 8 | (2 + 2 * units));
    return descriptor;
}
