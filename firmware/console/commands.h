/*
 * commands.h - the table of the console's commands.
 */
#ifndef JUMPCORE_COMMANDS_H
#define JUMPCORE_COMMANDS_H

#include "console.h"

/* NULL when there is none of that name. */
const console_command *commands_find(const char *name);

#endif
