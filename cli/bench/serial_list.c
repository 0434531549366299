#include "bench/serial_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libserialport.h>

#include "host/json_tree.h"
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

/* What the device does not say is left out. */
static bool add_text(cJSON *object, const char *key, const char *text)
{
    char *clean = text ? utf8_clean_copy(text, strlen(text)) : NULL;
    bool fine = !text || (clean && json_add_text(object, key, true, clean));
    free(clean);
    return fine;
}

static bool add_port(cJSON *object, const struct sp_port *port)
{
    bool usb = sp_get_port_transport(port) == SP_TRANSPORT_USB;
    return add_text(object, "port", sp_get_port_name(port)) &&
           add_text(object, "description", sp_get_port_description(port)) &&
           (!usb || (add_text(object, "manufacturer", sp_get_port_usb_manufacturer(port)) &&
                     add_text(object, "product", sp_get_port_usb_product(port)) &&
                     add_text(object, "serial", sp_get_port_usb_serial(port))));
}

static int print_json(struct sp_port **ports)
{
    cJSON *array = cJSON_CreateArray();
    bool fine = array != NULL;
    for (; fine && *ports; ports++) {
        cJSON *object = cJSON_CreateObject();
        fine = json_append(array, object) && add_port(object, *ports);
    }
    return json_print_and_delete(array, fine, stdout) ? EXIT_FINE : say_no_memory();
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
