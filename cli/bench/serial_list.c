#include "bench/serial_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>
#include <libserialport.h>

#include "host/message.h"
#include "host/utf8.h"

/* A device's own words, if any, without anything that drives a terminal. */
static void print_clean(const char *before, const char *text)
{
    char *clean = text ? utf8_clean_copy(text, strlen(text)) : NULL;
    if (clean)
        printf("%s%s", before, clean);
    free(clean);
}

static void print_table(struct sp_port **ports)
{
    for (; *ports; ports++) {
        printf("%-16s", sp_get_port_name(*ports));
        print_clean("  ", sp_get_port_description(*ports));
        if (sp_get_port_transport(*ports) == SP_TRANSPORT_USB)
            print_clean("  serial number ", sp_get_port_usb_serial(*ports));
        putchar('\n');
    }
}

static void add_text(cJSON *object, const char *key, const char *text)
{
    char *clean = text ? utf8_clean_copy(text, strlen(text)) : NULL;
    if (clean)
        cJSON_AddStringToObject(object, key, clean);
    free(clean);
}

static int print_json(struct sp_port **ports)
{
    cJSON *array = cJSON_CreateArray();
    for (; array && *ports; ports++) {
        cJSON *object = cJSON_CreateObject();
        add_text(object, "port", sp_get_port_name(*ports));
        add_text(object, "description", sp_get_port_description(*ports));
        if (sp_get_port_transport(*ports) == SP_TRANSPORT_USB) {
            add_text(object, "manufacturer", sp_get_port_usb_manufacturer(*ports));
            add_text(object, "product", sp_get_port_usb_product(*ports));
            add_text(object, "serial", sp_get_port_usb_serial(*ports));
        }
        cJSON_AddItemToArray(array, object);
    }
    char *text = array ? cJSON_Print(array) : NULL;
    cJSON_Delete(array);
    if (!text)
        return say_no_memory();
    puts(text);
    free(text);
    return EXIT_FINE;
}

int serial_list(bool json)
{
    struct sp_port **ports;
    if (sp_list_ports(&ports) != SP_OK) {
        say_error("this computer's serial ports cannot be listed");
        return EXIT_FAILED;
    }
    int code = EXIT_FINE;
    if (json)
        code = print_json(ports);
    else if (*ports)
        print_table(ports);
    else {
        say_error("there is no serial port: plug the instrument in with a USB cable that carries "
                  "data, not only power");
        code = EXIT_FAILED;
    }
    sp_free_port_list(ports);
    return code;
}
