#include "process.h"

#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "scratch.h"

enum { ARGUMENTS_MAX = 24 };

static void collect(const char *first, va_list more, const char *arguments[ARGUMENTS_MAX])
{
    int count = 0;
    arguments[count++] = JUMPCORE;
    for (const char *a = first; a; a = va_arg(more, const char *)) {
        must(count < ARGUMENTS_MAX - 1, "arguments");
        arguments[count++] = a;
    }
    arguments[count] = NULL;
}

static pid_t spawn(const char **arguments, int out, int err)
{
    pid_t child = fork();
    must(child >= 0, "fork");
    if (child > 0)
        return child;
    signal(SIGINT, SIG_DFL); /* ignored when the tests run in the background */
    signal(SIGHUP, SIG_DFL);
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    execv(JUMPCORE, (char **)arguments); /* does not change them */
    _exit(127);
}

int wait_for_exit(pid_t child)
{
    int status;
    must(waitpid(child, &status, 0) == child, "waitpid");
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void take_text(FILE *file, char *text, size_t size)
{
    must(fseek(file, 0, SEEK_SET) == 0, "fseek");
    size_t length = fread(text, 1, size - 1, file);
    must(!ferror(file), "fread");
    text[length] = '\0';
    fclose(file);
}

const outcome *run_jumpcore(const char *argument, ...)
{
    static outcome result;
    const char *arguments[ARGUMENTS_MAX];
    va_list more;
    va_start(more, argument);
    collect(argument, more, arguments);
    va_end(more);
    FILE *out = tmpfile();
    FILE *err = tmpfile();
    must(out && err, "tmpfile");
    result.code = wait_for_exit(spawn(arguments, fileno(out), fileno(err)));
    take_text(out, result.out, sizeof result.out);
    take_text(err, result.err, sizeof result.err);
    return &result;
}

pid_t start_jumpcore(const char *argument, ...)
{
    const char *arguments[ARGUMENTS_MAX];
    va_list more;
    va_start(more, argument);
    collect(argument, more, arguments);
    va_end(more);
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    must(nowhere >= 0, "/dev/null");
    pid_t child = spawn(arguments, nowhere, nowhere);
    close(nowhere);
    return child;
}
