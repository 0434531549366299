/*
 * fake_device.h - for tests: something at the other end of a pseudo-terminal that
 * may behave like an instrument's console, or not at all.
 */
#ifndef JUMPCORE_TESTS_FAKE_DEVICE_H
#define JUMPCORE_TESTS_FAKE_DEVICE_H

#include <stdbool.h>

typedef struct fake_device {
    const char *greeting;     /* sent at once; may be NULL */
    bool mute;                /* does not answer "info" */
    const char *results;      /* sent after the echo of "test ..."; may be NULL */
    const char *after_cancel; /* sent when ^C arrives after that; may be NULL */
    bool hang_up;             /* closes the terminal after `results` */
    bool flood;               /* sends rows after `results` for ever */
} fake_device;

/* Starts it in a process of its own. Returns the path of its terminal. */
const char *fake_device_start(const fake_device *device);

/* Until it was given a "test ..." command. */
void fake_device_wait(void);

/* Ends it. Returns the "test ..." command that it was given, "" when none. */
const char *fake_device_stop(void);

#endif
