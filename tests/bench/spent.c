/* spent COMMAND...: runs it and says "SECONDS CPU_SECONDS MEGABYTES" (wall clock,
 * user and system time, peak resident memory in units of 1000 kB) on standard error. */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double seconds(struct timeval time)
{
    return (double)time.tv_sec + 1e-6 * (double)time.tv_usec;
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    double before = now_s();
    pid_t child = fork();
    if (child == 0) {
        execvp(argv[1], argv + 1);
        _exit(127);
    }
    int status;
    struct rusage usage;
    if (child < 0 || wait4(child, &status, 0, &usage) != child)
        return 1;
    fprintf(stderr, "%.2f %.2f %.0f\n", now_s() - before,
            seconds(usage.ru_utime) + seconds(usage.ru_stime), (double)usage.ru_maxrss * 1.024e-3);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
