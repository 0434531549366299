#include "report/gnuplot.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/message.h"

enum { EXIT_NOT_FOUND = 127 }; /* as in a shell */

void gnuplot_print_string(FILE *script, const char *text)
{
    putc('\'', script);
    for (; *text; text++) {
        if (*text == '\'')
            putc('\'', script);
        putc(*text, script);
    }
    putc('\'', script);
}

/* In the child. --default-settings: no start-up file of the user's changes the
 * picture. */
static void become_gnuplot(int in, int out, int err)
{
    bool ready = dup2(in, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0 &&
                 dup2(err, STDERR_FILENO) >= 0;
    if (ready)
        execlp("gnuplot", "gnuplot", "--default-settings", (char *)NULL);
    _exit(errno == ENOENT ? EXIT_NOT_FOUND : 1);
}

static int wait_for(pid_t child)
{
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return 1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/* The first line of gnuplot's complaint that is not blank or a caret. */
static void say_failed(FILE *complaint)
{
    char line[200];
    if (fseek(complaint, 0, SEEK_SET) != 0)
        return;
    while (fgets(line, sizeof line, complaint)) {
        line[strcspn(line, "\n")] = '\0';
        if (line[strspn(line, " \t^")] != '\0' && !strstr(line, "gnuplot>")) {
            say_error("gnuplot could not draw the picture: %s", line);
            return;
        }
    }
    say_error("gnuplot could not draw the picture; does 'gnuplot --version' work?");
}

bool gnuplot_run(FILE *script, FILE *to)
{
    FILE *complaint = tmpfile();
    bool ready = complaint && fflush(to) == 0 && fseek(script, 0, SEEK_SET) == 0;
    pid_t child = ready ? fork() : -1;
    if (child == 0)
        become_gnuplot(fileno(script), fileno(to), fileno(complaint));
    int code = child > 0 ? wait_for(child) : 1;
    if (child < 0)
        say_error("cannot start gnuplot: %s", strerror(errno));
    else if (code == EXIT_NOT_FOUND)
        say_error("gnuplot, which draws the picture, is not installed; on Debian: apt-get install "
                  "gnuplot-nox");
    else if (code != 0)
        say_failed(complaint);
    if (complaint)
        fclose(complaint);
    return child > 0 && code == 0 && fseek(to, 0, SEEK_END) == 0;
}
