/* Where the measured logs are: the folder "shared" next to the repository, or
 * JUMPCORE_SHARED. They are not part of the project. */
#ifndef JUMPCORE_TESTS_SHARED_H
#define JUMPCORE_TESTS_SHARED_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The path of one log into `path`; false, after saying so, when it is absent. */
static inline int shared_log(char path[600], const char *name)
{
    const char *shared = getenv("JUMPCORE_SHARED");
    snprintf(path, 600, "%s/data/core-logs/experiment1/%s", shared ? shared : SHARED_DEFAULT, name);
    if (access(path, R_OK) == 0)
        return 1;
    printf("skipped: %s is not here\n", path);
    return 0;
}

#endif
