#include "bench/serial_port.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "host/message.h"

enum { WRITE_TIMEOUT_MS = 2000, MEMORY_DEVICES = 1 /* major number of /dev/null and the like */ };

int64_t serial_now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

bool serial_port_is(const char *path)
{
    struct stat status;
    if (stat(path, &status) == 0)
        return S_ISCHR(status.st_mode) && major(status.st_rdev) != MEMORY_DEVICES;
    return strncmp(path, "/dev/tty", 8) == 0 || strncmp(path, "/dev/serial/", 12) == 0;
}

/* ---- opening --------------------------------------------------------- */

static void say_no_permission(const char *path)
{
    struct stat status;
    const struct group *owner = stat(path, &status) == 0 ? getgrgid(status.st_gid) : NULL;
    if (owner && strcmp(owner->gr_name, "root") != 0 && (status.st_mode & S_IRGRP))
        say_error("no permission to use '%s': it belongs to the group '%s'; run 'sudo usermod -aG "
                  "%s $USER', log in anew, and try again",
                  path, owner->gr_name, owner->gr_name);
    else
        say_error("no permission to use '%s'; use sudo", path);
}

static void say_cannot_open(const char *path, int error)
{
    if (error == EACCES || error == EPERM)
        say_no_permission(path);
    else if (error == ENOENT || error == ENXIO || error == ENODEV)
        say_error("there is no serial port '%s': is the instrument plugged in? 'jumpcore bench "
                  "--list' shows the ports",
                  path);
    else if (error == EBUSY || error == EWOULDBLOCK)
        say_error("another program uses '%s' (a terminal, or another jumpcore?); end it first",
                  path);
    else if (error == ENOTTY || error == EINVAL)
        say_error("'%s' is no serial port; 'jumpcore bench --list' shows the ports", path);
    else
        say_error("cannot open '%s': %s", path, strerror(error));
}

static bool make_raw(int fd)
{
    struct termios settings;
    if (tcgetattr(fd, &settings) != 0)
        return false;
    cfmakeraw(&settings);
    settings.c_cflag |= CLOCAL | CREAD;
    settings.c_cflag &= ~(tcflag_t)CRTSCTS;
    settings.c_cc[VMIN] = 1; /* so that 0 bytes mean the end, not "none yet" */
    settings.c_cc[VTIME] = 0;
    return cfsetspeed(&settings, B115200) == 0 && tcsetattr(fd, TCSANOW, &settings) == 0;
}

bool serial_port_open(serial_port *port, const char *path)
{
    *port = (serial_port){.fd = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)};
    bool opened = port->fd >= 0 && flock(port->fd, LOCK_EX | LOCK_NB) == 0 && make_raw(port->fd);
    if (opened)
        return true;
    int error = errno;
    serial_port_close(port);
    say_cannot_open(path, error);
    return false;
}

void serial_port_close(serial_port *port)
{
    if (port->fd >= 0)
        close(port->fd);
    port->fd = -1;
}

/* ---- writing --------------------------------------------------------- */

bool serial_port_write(serial_port *port, const char *text)
{
    size_t left = strlen(text);
    int64_t end_ms = serial_now_ms() + WRITE_TIMEOUT_MS;
    while (left > 0) {
        ssize_t written = write(port->fd, text, left);
        if (written > 0) {
            text += written;
            left -= (size_t)written;
            continue;
        }
        if (written < 0 && errno != EAGAIN && errno != EINTR)
            return false;
        int64_t wait_ms = end_ms - serial_now_ms();
        if (wait_ms <= 0)
            return false;
        struct pollfd ready = {.fd = port->fd, .events = POLLOUT};
        poll(&ready, 1, (int)wait_ms);
    }
    return true;
}

/* ---- reading --------------------------------------------------------- */

/* Takes bytes from the buffer up to a line's end. */
static bool finish_line(serial_port *port)
{
    while (port->taken < port->held) {
        char byte = port->buffer[port->taken++];
        if (byte == '\n') {
            if (port->length > 0 && port->line[port->length - 1] == '\r')
                port->length--;
            port->line[port->length] = '\0';
            return true;
        }
        if (port->length < SERIAL_LINE_BYTES_MAX)
            port->line[port->length++] = byte == '\0' ? '?' : byte;
    }
    return false;
}

/* Fills the empty buffer. */
static serial_event receive(serial_port *port, int64_t wait_ms)
{
    struct pollfd ready = {.fd = port->fd, .events = POLLIN};
    if (poll(&ready, 1, wait_ms < 0 ? 0 : (int)wait_ms) <= 0)
        return SERIAL_QUIET;
    ssize_t count = read(port->fd, port->buffer, sizeof port->buffer);
    if (count < 0 && (errno == EAGAIN || errno == EINTR))
        return SERIAL_QUIET;
    if (count <= 0)
        return SERIAL_GONE;
    port->taken = 0;
    port->held = (size_t)count;
    return SERIAL_LINE;
}

serial_event serial_port_line(serial_port *port, int timeout_ms)
{
    int64_t end_ms = serial_now_ms() + timeout_ms;
    bool received = false;
    while (!finish_line(port)) {
        int64_t left_ms = end_ms - serial_now_ms();
        if (received && left_ms <= 0)
            return SERIAL_QUIET;
        serial_event event = receive(port, left_ms);
        if (event != SERIAL_LINE)
            return event;
        received = true;
    }
    port->length = 0;
    return SERIAL_LINE;
}
