#include "fake_device.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

enum { COMMAND_BYTES = 512, CANCEL = 3 };

static char *command; /* shared with the child */
static pid_t child;
static int held; /* the terminal's other side, kept open */

static void must(bool condition, const char *what)
{
    if (condition)
        return;
    perror(what);
    abort();
}

static void send(int fd, const char *text)
{
    for (size_t left = text ? strlen(text) : 0; left > 0;) {
        ssize_t written = write(fd, text, left);
        if (written <= 0)
            _exit(1);
        text += written;
        left -= (size_t)written;
    }
}

/* Closing a pseudo-terminal throws away what the other side has not read yet. */
static void wait_until_read(void)
{
    for (int empty = 0; empty < 20;) {
        int waiting = 0;
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
        empty = ioctl(held, FIONREAD, &waiting) == 0 && waiting == 0 ? empty + 1 : 0;
    }
}

/* The command "test ..." has come. */
static void run_test(int fd, const fake_device *d, const char *text)
{
    snprintf(command, COMMAND_BYTES, "%s", text);
    send(fd, "> ");
    send(fd, text);
    send(fd, "\r\n");
    send(fd, d->results);
    while (d->flood)
        send(fd, "1,100,819,0\r\n");
    if (d->hang_up) {
        wait_until_read();
        _exit(0);
    }
}

static void be_device(int fd, const fake_device *d)
{
    char text[COMMAND_BYTES];
    size_t length = 0;
    send(fd, d->greeting);
    for (char byte; read(fd, &byte, 1) == 1;) {
        if (byte == CANCEL) {
            length = 0;
            if (command[0] != '\0')
                send(fd, d->after_cancel);
        } else if (byte != '\r') {
            text[length++ % (sizeof text - 1)] = byte;
        } else {
            text[length % (sizeof text - 1)] = '\0';
            length = 0;
            if (strcmp(text, "info") == 0 && !d->mute)
                send(fd, "> info\r\nfirmware               jumpcore 0.1.0\r\n"
                         "board                  pico, pico\r\n> ");
            else if (strncmp(text, "test ", 5) == 0)
                run_test(fd, d, text);
        }
    }
    _exit(0);
}

const char *fake_device_start(const fake_device *device)
{
    static char path[64];
    struct termios settings;
    command = mmap(NULL, COMMAND_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    must(command != MAP_FAILED, "mmap");
    int fd = posix_openpt(O_RDWR | O_NOCTTY);
    must(fd >= 0 && grantpt(fd) == 0 && unlockpt(fd) == 0, "posix_openpt");
    must(ptsname_r(fd, path, sizeof path) == 0, "ptsname_r");
    held = open(path, O_RDWR | O_NOCTTY); /* or reads fail until somebody opens it */
    must(held >= 0 && tcgetattr(held, &settings) == 0, path);
    cfmakeraw(&settings);
    must(tcsetattr(held, TCSANOW, &settings) == 0, path);
    child = fork();
    must(child >= 0, "fork");
    if (child == 0)
        be_device(fd, device);
    close(fd);
    close(held);
    return path;
}

void fake_device_wait(void)
{
    for (int tries = 0; *(volatile char *)command == '\0'; tries++) {
        must(tries < 6000, "no command came within a minute");
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
}

const char *fake_device_stop(void)
{
    static char last[COMMAND_BYTES];
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    memcpy(last, command, sizeof last);
    munmap(command, COMMAND_BYTES);
    return last;
}
