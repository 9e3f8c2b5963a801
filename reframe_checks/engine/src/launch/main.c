/* SPDX-License-Identifier: BSD-3-Clause */
/* main.c: the engine's entry: what needs no MPI, else one launch, and an exit code that all processes share. */
#include "base/version.h"

#include "describe/describe.h"
#include "first/first_call.h"
#include "launch/check_options.h"
#include "launch/last_words.h"
#include "launch/launch.h"
#include "launch/launch_timers.h"
#include "machine/environment.h"
#include "machine/team_agree.h"
#include "memory/memory_exercise.h"
#include "memory/memory_look.h"
#include "operation/operation_print.h"
#include "operation/operation_select.h"
#include "operations/operation_forms.h"
#include "options/option_parse.h"
#include "options/option_print.h"
#include "timer/timer_table.h"

#include <stdio.h>
#include <string.h>

static void main_print_version(void)
{
    char library[512];
    int major = 0, minor = 0;
    environment_library(library, sizeof library);
    MPI_Get_version(&major, &minor);
    printf("isochron-engine %s\nmpi-library: %s\nmpi-standard: %d.%d\ncompiler: %s\n", ENGINE_VERSION, library, major,
           minor, ENGINE_COMPILER);
}

static void main_print_operations(void)
{
    struct operation_list all;
    struct fault fault = {0};
    if (operation_expand(false, &all, &fault) == 0)
        operation_print_table(&all, stdout);
    operation_list_free(&all);
}

static void main_describe(void)
{
    struct operation_list all;
    struct fault fault = {0};
    struct json json = {0};
    if (operation_expand(false, &all, &fault) == 0)
        describe(&all, &json);
    describe_print(&json, stdout);
    json_free(&json);
    operation_list_free(&all);
}

/* Whether the options ask only for something that is printed, which needs no MPI. */
static bool main_only_prints(const struct options *options)
{
    return options->help || options->version || options->list || options->describe == DESCRIBE_JSON;
}

static void main_print(const struct options *options)
{
    if (options->help)
        options_help(stdout);
    else if (options->version)
        main_print_version();
    else if (options->list)
        main_print_operations();
    else
        main_describe();
}

/* Rank 0 checks for all: thousands of simulated ranks would find the same thousands of times. */
static int main_agree(const struct team *team, const struct options *options, int argc, char **argv,
                      struct fault *fault)
{
    team_same_words(team, argc, argv, fault);
    if (team->rank == 0 && fault->code == FAULT_NONE && !options->check_timer && !main_only_prints(options))
        check_options_cases(options, team->size, fault);
    return team_agree(team, fault);
}

/* What is wrong with the options every process finds by itself: they could not agree without a message. */
static int main_first_call(struct session *session, const struct options *options, struct first_call *first,
                           struct fault *fault)
{
    if (check_options_cases(options, session->team.size, fault))
        return (int)fault->code;
    session->first = first;
    return first_call_time(session, options, fault);
}

/* What all processes have agreed on. */
static void main_do(struct session *session, const struct options *options, int argc, char **argv, struct fault *fault)
{
    if (main_only_prints(options)) {
        if (session->team.rank == 0)
            main_print(options);
    } else if ((!options->memory || memory_exercise(&session->memory, fault) == 0) &&
               team_copy(&session->team, fault) == 0) {
        if (options->check_timer)
            launch_check_timers(session, options, fault);
        else
            launch_run(session, options, argc, argv, fault);
    }
}

static int main_measure(struct session *session, const struct options *options, int argc, char **argv,
                        struct fault *fault)
{
    struct first_call first = {0};
    team_open(&session->team, &session->traffic);
    if (fault->code == FAULT_NONE && options->first_call && !options->check_timer && !main_only_prints(options))
        main_first_call(session, options, &first, fault);
    /* Where that failed in one process, others may wait for it. */
    if (fault->code != FAULT_SYSTEM && main_agree(&session->team, options, argc, argv, fault) == 0)
        main_do(session, options, argc, argv, fault);
    if (fault->code != FAULT_NONE && !fault->agreed) {
        last_words(session->team.rank, fault);
        MPI_Abort(MPI_COMM_WORLD, (int)fault->code);
    }
    session_close(session);
    return (int)fault->code;
}

/* --check-options must not start MPI, even where the rest of the line is wrong. */
static bool main_only_checks(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--check-options") == 0)
            return true;
    return false;
}

static int main_check(int argc, char **argv, struct options *options, struct fault *fault)
{
    if (options_parse(argc, argv, options, fault) == 0 && main_only_prints(options))
        main_print(options);
    else if (fault->code == FAULT_NONE)
        check_options(options, fault);
    if (fault->code != FAULT_NONE)
        fprintf(stderr, "isochron-engine: %s\n", fault->text);
    return (int)fault->code;
}

int main(int argc, char **argv)
{
    struct fault fault = {0};
    struct options options;
    struct session session = {.derived = MPI_DATATYPE_NULL};
    int code = 0;
    if (main_only_checks(argc, argv)) {
        code = main_check(argc, argv, &options, &fault);
    } else if (options_parse(argc, argv, &options, &fault) == 0 && main_only_prints(&options) &&
               environment_launched() == 1) {
        main_print(&options); /* of several processes others may measure, and would wait for this one */
    } else {
        if (fault.code == FAULT_NONE && !options.test_clock.given)
            session.first_pair = timer_first_pair(timer_of(options.timer), environment_is_simulated());
        if (options.memory)
            memory_look(&session.memory, MEMORY_BEFORE_INIT);
        MPI_Init(NULL, NULL);
        if (options.memory)
            memory_look(&session.memory, MEMORY_INIT);
        code = main_measure(&session, &options, argc, argv, &fault);
        MPI_Finalize();
    }
    options_free(&options);
    return code;
}
