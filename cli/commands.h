/*
 * commands.h - the subcommands of `jumpcore`, each in its own folder.
 *
 * A command gets its arguments as main() would: argv[0] is "jumpcore NAME"
 * (getopt prints it before its messages). It returns an exit_code of
 * host/message.h and answers --help on standard output.
 *
 * To add one: declare it here, add a line to the table in main.c.
 */
#ifndef JUMPCORE_CLI_COMMANDS_H
#define JUMPCORE_CLI_COMMANDS_H

int command_bench(int argc, char **argv);
int command_cat(int argc, char **argv);
int command_check(int argc, char **argv);
int command_ls(int argc, char **argv);
int command_model(int argc, char **argv);
int command_render(int argc, char **argv);
int command_report(int argc, char **argv);
int command_simulate(int argc, char **argv);

#endif
