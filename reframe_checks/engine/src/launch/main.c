/* SPDX-License-Identifier: BSD-3-Clause */
/* main.c: the entry of the engine: what needs no MPI, otherwise one launch, and an exit code for all processes. */
#include "base/output.h"
#include "base/version.h"
#include "contract/describe.h"
#include "contract/usage.h"
#include "launch/abort_message.h"
#include "launch/check_timers.h"
#include "launch/join.h"
#include "launch/launch.h"
#include "machine/environment.h"
#include "machine/memory.h"
#include "machine/team.h"
#include "measure/first_call.h"
#include "measure/startup.h"
#include "operation/operation.h"
#include "operations/operation_table.h"
#include "options/command_line.h"
#include "timer/timer.h"

#include <stdio.h>
#include <string.h>

/* Check operations, sizes and processes, as a launch does; 0 processes: unknown. */
static int main_check_cases(const struct options *options, int processes, struct fault *fault)
{
    struct operation_list list = {0};
    if (operation_expand(options->large_counts, &list, fault) == 0 &&
        operation_select(options->operations, &list, fault) == 0)
        usage_check(options, &list, processes, fault);
    operation_list_free(&list);
    return (int)fault->code;
}

/* --check-options: check all that a launch would refuse. --expect-ranks is the number of processes; 0: unknown. */
static int main_check_options(const struct options *options, struct fault *fault)
{
    const int processes = (int)options->expect_ranks;
    if (options->check_timer)
        return 0;
    if (main_check_cases(options, processes, fault) == 0)
        rank_order_check(&options->rank_order, processes, fault);
    return options->output == NULL ? (int)fault->code : output_check(options->output, fault);
}

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

/* Return true if the options only request something that is printed, which needs no MPI. */
static bool main_prints_only(const struct options *options)
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

/* Rank 0 checks for all: thousands of simulated ranks would repeat the same check. */
static int main_agree(const struct team *team, const struct options *options, int argc, char **argv,
                      struct fault *fault)
{
    team_check_arguments(team, argc, argv, fault);
    if (team->rank == 0 && fault->code == FAULT_NONE && !options->check_timer && !main_prints_only(options))
        main_check_cases(options, team->size, fault);
    return team_agree(team, fault);
}

/* Every process checks the options by itself: an agreement would need a message before the first call. */
static int main_first_call(struct session *session, const struct options *options, struct first_call *first,
                           struct fault *fault)
{
    if (main_check_cases(options, session->team.size, fault))
        return (int)fault->code;
    session->first = first;
    return first_call_time(session, options, fault);
}

/* Do what all processes have agreed on. */
static void main_do(struct session *session, const struct options *options, int argc, char **argv,
                    struct launch_file *file, struct fault *fault)
{
    if (main_prints_only(options)) {
        if (session->team.rank == 0)
            main_print(options);
    } else if ((!options->memory || memory_exercise(&session->memory, fault) == 0) &&
               team_copy(&session->team, fault) == 0) {
        if (options->check_timer)
            check_timers(session, options, fault);
        else
            launch_perform(session, options, argc, argv, file, fault);
    }
}

static int main_measure(struct session *session, const struct options *options, int argc, char **argv,
                        struct launch_file *file, struct fault *fault)
{
    struct first_call first = {0};
    team_open(&session->team, &session->traffic);
    if (fault->code == FAULT_NONE && options->first_call && !options->check_timer && !main_prints_only(options))
        main_first_call(session, options, &first, fault);
    else
        startup_exchange(session->startup, &session->team, fault);
    /* If that failed on one process, others may be waiting for it. */
    if (fault->code != FAULT_SYSTEM && main_agree(&session->team, options, argc, argv, fault) == 0)
        main_do(session, options, argc, argv, file, fault);
    if (fault->code != FAULT_NONE && !fault->agreed) {
        abort_message(session->team.rank, fault);
        if (session->resident != NULL)
            join_leave(session->resident);
        MPI_Abort(MPI_COMM_WORLD, (int)fault->code);
    }
    session_close(session);
    return (int)fault->code;
}

/* --check-options must not start MPI, even if the rest of the line is wrong. */
static bool main_only_checks(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--check-options") == 0)
            return true;
    return false;
}

static int main_check(int argc, char **argv, struct options *options, struct fault *fault)
{
    if (options_parse(argc, argv, options, fault) == 0 && main_prints_only(options))
        main_print(options);
    else if (fault->code == FAULT_NONE)
        main_check_options(options, fault);
    if (fault->code != FAULT_NONE)
        fprintf(stderr, "isochron-engine: %s\n", fault->text);
    return (int)fault->code;
}

/* On rank 0: write the footer; return the exit code, which was code before. */
static int main_finish(struct launch_file *file, int code)
{
    struct fault fault = {0};
    if (output_finish(&file->output, &file->footer, &fault) == 0)
        return code;
    fprintf(stderr, "isochron-engine: %s\n", fault.text);
    output_discard(&file->output);
    return (int)fault.code;
}

/* A launch, or information that all processes request. */
static int main_run(struct session *session, struct options *options, int argc, char **argv, struct fault *fault)
{
    struct launch_file file = {.output = {.descriptor = -1}};
    if (fault->code == FAULT_NONE && !options->test_clock.present)
        session->first_pair = timer_first_pair(timer_of(options->timer), environment_is_simulated());
    if (options->memory)
        memory_sample(&session->memory, MEMORY_BEFORE_INIT);
    startup_init(session->startup, options->threads > 0);
    if (options->memory)
        memory_sample(&session->memory, MEMORY_INIT);
    const int code = main_measure(session, options, argc, argv, &file, fault);
    /* Launchers end a launch when the first process has ended with an error: then the footer does not wait. */
    const bool at_once = file.complete && code != 0;
    if (at_once)
        main_finish(&file, code);
    file.footer.finalize_ns = startup_finalize(session->startup);
    file.footer.finalized = !session->startup->simulated;
    return file.complete && !at_once ? main_finish(&file, code) : code;
}

/* Return true if this process has to wait for its turn before it starts MPI. */
static bool main_takes_turns(const struct options *options, struct fault *fault)
{
    return fault->code == FAULT_NONE && options->turns != NULL && !options->check_timer && !main_prints_only(options) &&
           main_check_cases(options, 0, fault) == 0;
}

/* Without its turn a launch must not disturb the others by starting MPI. */
static int main_join(const struct options *options, int argc, char **argv, struct resident *resident,
                     struct fault *fault)
{
    if (join_turns(options, argc, argv, resident, fault) && resident_may_tell(resident))
        fprintf(stderr, "isochron-engine: %s\n", fault->text);
    return (int)fault->code;
}

int main(int argc, char **argv)
{
    struct fault fault = {0};
    struct options options;
    struct session session;
    struct resident resident = {.segment = {.descriptor = -1}};
    struct startup startup;
    int code = 0;
    startup_begin(&startup);
    session_init(&session);
    session.startup = &startup;
    if (main_only_checks(argc, argv))
        code = main_check(argc, argv, &options, &fault);
    else if (options_parse(argc, argv, &options, &fault) == 0 && main_prints_only(&options) &&
             environment_launched() == 1)
        main_print(&options); /* only alone: other processes could measure, and would wait for this one */
    else if (!main_takes_turns(&options, &fault))
        code = main_run(&session, &options, argc, argv, &fault);
    else if ((code = main_join(&options, argc, argv, &resident, &fault)) == 0) {
        session.resident = &resident;
        code = main_run(&session, &options, argc, argv, &fault);
    }
    join_leave(&resident);
    options_free(&options);
    return code;
}
