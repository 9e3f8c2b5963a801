/* SPDX-License-Identifier: BSD-3-Clause */
/* relations.c: checks of the relations, and their table, which is checked in its order (see relations.h). */
#include "options/relations.h"

#include <limits.h>

enum { RELATION_LINE = 480 };

static bool relation_is_broken(const struct relation *relation, const struct variables *variables)
{
    for (int i = 0; i < RELATION_CONDITIONS && relation->when[i].kind != CONDITION_NONE; i++)
        if (condition_evaluate(&relation->when[i], variables) != CONDITION_HOLDS)
            return false;
    return condition_evaluate(&relation->require, variables) == CONDITION_FAILS;
}

/* The first broken relation of that scope and effect. */
static const struct relation *relation_first(const struct relation *relations, size_t count, enum relation_scope scope,
                                             enum relation_effect effect, const struct variables *variables)
{
    for (size_t i = 0; i < count; i++)
        if (relations[i].scope == scope && relations[i].effect == effect &&
            relation_is_broken(&relations[i], variables))
            return &relations[i];
    return NULL;
}

int relation_check(const struct relation *relations, size_t count, enum relation_scope scope,
                   const struct variables *variables, struct fault *fault)
{
    const struct relation *const broken = relation_first(relations, count, scope, RELATION_REFUSED, variables);
    char line[RELATION_LINE];
    if (broken == NULL)
        return 0;
    condition_explain(&broken->require, variables, broken->text, line, sizeof line);
    return fault_set(fault, FAULT_USAGE, "%s", line);
}

const char *relation_why_not_supported(const struct relation *relations, size_t count, enum relation_scope scope,
                                       const struct variables *variables)
{
    const struct relation *const broken = relation_first(relations, count, scope, RELATION_NOT_SUPPORTED, variables);
    return broken == NULL ? NULL : broken->text;
}

/*
 * Variables are those of command_line.h, and usage.h adds: processes; smallest-group, the processes of the smallest of
 * the groups of --groups; operation (its name) and operation.X (members of the operations in --describe); bytes;
 * element.name and element.size, of the datatype of the case; farthest, the largest displacement of the call.
 */
/* clang-format off */
#define IS_TRUE(variable) {.left = variable, .kind = CONDITION_TRUE}
#define IS_FALSE(variable) {.left = variable, .kind = CONDITION_FALSE}
#define IS(variable, ...) {.left = variable, .kind = CONDITION_IS, .values = {__VA_ARGS__}}
#define IS_NOT(variable, ...) {.left = variable, .kind = CONDITION_IS_NOT, .values = {__VA_ARGS__}}
#define AT_MOST(variable, ...) {.left = variable, .kind = CONDITION_AT_MOST, __VA_ARGS__}
#define AT_LEAST(variable, other) {.left = variable, .kind = CONDITION_AT_LEAST, .right = other}
#define FROM_ONE(variable) {.left = variable, .kind = CONDITION_AT_LEAST, .number = 1}
#define BELOW(variable, other) {.left = variable, .kind = CONDITION_BELOW, .right = other}
#define MULTIPLE_OF(variable, other) {.left = variable, .kind = CONDITION_MULTIPLE_OF, .right = other}
#define POWER_OF_TWO(variable) {.left = variable, .kind = CONDITION_POWER_OF_TWO}

/* Of all blocks together, a pebibyte: more than any machine has, and far below the range of 64 bits. */
#define MAX_BYTES 1125899906842624.0

static const struct relation RELATIONS[] = {
    {"operations-needed", RELATION_OPTIONS, RELATION_REFUSED,
     .require = IS_TRUE("operations.given"),
     .text = "--operations is missing; --list prints all operations"},
    {"output-needed", RELATION_OPTIONS, RELATION_REFUSED,
     .when = {IS_FALSE("check-options")},
     .require = IS_TRUE("output.given"),
     .text = "--output is missing; name the file to write"},
    {"alignment", RELATION_OPTIONS, RELATION_REFUSED,
     .require = POWER_OF_TWO("alignment"),
     .text = "--alignment {alignment}: give a power of two"},
    {"min-valid-max-valid", RELATION_OPTIONS, RELATION_REFUSED,
     .require = AT_MOST("min-valid", .right = "max-valid"),
     .text = "--min-valid {min-valid} exceeds --max-valid or --max-reps; lower it or raise those"},
    {"min-valid-max-reps", RELATION_OPTIONS, RELATION_REFUSED,
     .require = AT_MOST("min-valid", .right = "max-reps"),
     .text = "--min-valid {min-valid} exceeds --max-valid or --max-reps; lower it or raise those"},
    {"time-budget", RELATION_OPTIONS, RELATION_REFUSED,
     .when = {IS_TRUE("time-budget.given")},
     .require = IS("stop", "time"),
     .text = "--time-budget: only valid with --stop time; add that or remove this"},
    {"arrival-spread", RELATION_OPTIONS, RELATION_REFUSED,
     .when = {IS("arrival", "ascending", "descending", "random")},
     .require = AT_MOST("arrival-spread-us", .right = "max-slot-us", .factor = 0.5),
     .text = "--arrival: the spread exceeds half of --max-slot-us {max-slot-us}; raise that"},
    {"arrival-late", RELATION_OPTIONS, RELATION_REFUSED,
     .when = {IS("arrival", "one-late")},
     .require = AT_MOST("arrival.US", .right = "max-slot-us", .factor = 0.5),
     .text = "--arrival: the spread exceeds half of --max-slot-us {max-slot-us}; raise that"},
    {"loop-arrival", RELATION_OPTIONS, RELATION_REFUSED,
     .when = {IS("scheme", "loop", "rotating-root")},
     .require = IS("arrival", "none"),
     .text = "--scheme {scheme}: a loop has no start times; remove --arrival"},
    {"loop-overlap", RELATION_OPTIONS, RELATION_REFUSED,
     .when = {IS("scheme", "loop", "rotating-root")},
     .require = IS_FALSE("overlap"),
     .text = "--scheme {scheme}: not valid with --overlap; remove one of the two"},
    {"loop-operations-per-rep", RELATION_OPTIONS, RELATION_REFUSED,
     .when = {IS("scheme", "loop", "rotating-root")},
     .require = AT_MOST("operations-per-rep", .number = 1),
     .text = "--scheme {scheme}: a loop has --batch operations; remove --operations-per-rep"},
    {"operations-per-rep-arrival", RELATION_OPTIONS, RELATION_REFUSED,
     .when = {IS_NOT("arrival", "none")},
     .require = AT_MOST("operations-per-rep", .number = 1),
     .text = "--operations-per-rep {operations-per-rep}: --arrival would apply to the first operation only; set it to 1"},
    {"operations-per-rep-overlap", RELATION_OPTIONS, RELATION_REFUSED,
     .when = {IS_TRUE("overlap")},
     .require = AT_MOST("operations-per-rep", .number = 1),
     .text = "--operations-per-rep {operations-per-rep}: --overlap is that of one operation; set it to 1"},
    {"operations-per-rep-buffered", RELATION_OPTIONS, RELATION_REFUSED,
     .when = {IS_TRUE("buffered-sends")},
     .require = AT_MOST("operations-per-rep", .number = 1),
     .text = "--operations-per-rep {operations-per-rep}: the buffer of --buffered-sends may not be free in between; set it to 1"},
    {"first-call-rank-order", RELATION_OPTIONS, RELATION_REFUSED,
     .when = {IS_TRUE("first-call")},
     .require = IS("rank-order", "identity"),
     .text = "--first-call: --rank-order sends messages before the first call; remove it"},
    {"first-call-memory", RELATION_OPTIONS, RELATION_REFUSED,
     .when = {IS_TRUE("first-call")},
     .require = IS_FALSE("memory"),
     .text = "--first-call: --memory sends messages before the first call; remove it"},
    {"first-call-groups", RELATION_OPTIONS, RELATION_REFUSED,
     .when = {IS_TRUE("first-call")},
     .require = IS("groups", "all"),
     .text = "--first-call: --groups makes communicators before the first call; remove it"},
    {"turns-turn", RELATION_OPTIONS, RELATION_REFUSED,
     .when = {IS_TRUE("turns.given")},
     .require = IS_TRUE("turn.given"),
     .text = "--turns: --turn is missing; give I/N, the index and the number of residents"},
    {"turns-pass-span", RELATION_OPTIONS, RELATION_REFUSED,
     .when = {IS_TRUE("turns.given")},
     .require = AT_MOST("pass-span", .number = 0),
     .text = "--turns: --pass-span would hold a turn while nothing is measured; remove it"},
    {"turns-first-call", RELATION_OPTIONS, RELATION_REFUSED,
     .when = {IS_TRUE("turns.given")},
     .require = IS_FALSE("first-call"),
     .text = "--turns: --first-call is of a launch of its own; remove one of the two"},
    {"turns-gate", RELATION_OPTIONS, RELATION_REFUSED,
     .when = {IS_TRUE("turns.given")},
     .require = IS_NOT("probes", "gate"),
     .text = "--turns: --probes gate would hold a turn while it waits; take --probes record"},
    {"turns-cold", RELATION_OPTIONS, RELATION_REFUSED,
     .when = {IS_TRUE("turns.given")},
     .require = IS_NOT("buffers", "cold"),
     .text = "--turns: --buffers cold would use all buffers first in every turn; take --buffers warm"},
    {"turn-turns", RELATION_OPTIONS, RELATION_REFUSED,
     .when = {IS_TRUE("turn.given")},
     .require = IS_TRUE("turns.given"),
     .text = "--turn: only valid with --turns; add that or remove this"},
    {"turn-seed", RELATION_OPTIONS, RELATION_REFUSED,
     .when = {IS_TRUE("turn-seed.given")},
     .require = IS_TRUE("turns.given"),
     .text = "--turn-seed: only valid with --turns; add that or remove this"},
    {"turn-limit", RELATION_OPTIONS, RELATION_REFUSED,
     .when = {IS_TRUE("turn-limit.given")},
     .require = IS_TRUE("turns.given"),
     .text = "--turn-limit: only valid with --turns; add that or remove this"},
    {"turn-time", RELATION_OPTIONS, RELATION_REFUSED,
     .when = {IS_TRUE("turn-time.given")},
     .require = IS_TRUE("turns.given"),
     .text = "--turn-time: only valid with --turns; add that or remove this"},
    {"turn-passes", RELATION_OPTIONS, RELATION_REFUSED,
     .when = {IS_TRUE("turn-passes.given")},
     .require = IS_TRUE("turns.given"),
     .text = "--turn-passes: only valid with --turns; add that or remove this"},
    {"turn-last", RELATION_OPTIONS, RELATION_REFUSED,
     .when = {IS_TRUE("turn-last.given")},
     .require = IS_TRUE("turns.given"),
     .text = "--turn-last: only valid with --turns; add that or remove this"},
    {"solo-passes", RELATION_OPTIONS, RELATION_REFUSED,
     .when = {IS_TRUE("solo-passes.given")},
     .require = IS_TRUE("turns.given"),
     .text = "--solo-passes: only valid with --turns; add that or remove this"},
    {"send-buffer-buffered", RELATION_OPTIONS, RELATION_REFUSED,
     .when = {IS_FALSE("buffered-sends")},
     .require = AT_MOST("send-buffer", .number = 0),
     .text = "--send-buffer {send-buffer}: only valid with --buffered-sends; remove it, or add that"},
    {"loop-buffered", RELATION_OPTIONS, RELATION_REFUSED,
     .when = {IS("scheme", "loop", "rotating-root")},
     .require = IS_FALSE("buffered-sends"),
     .text = "--scheme {scheme}: in a loop the buffer of --buffered-sends may not be free; take another scheme"},

    {"root", RELATION_LAUNCH, RELATION_REFUSED,
     .require = BELOW("root", "processes"),
     .text = "--root {root}: with {processes} processes give 0 to {limit}"},
    {"groups", RELATION_LAUNCH, RELATION_REFUSED,
     .require = FROM_ONE("smallest-group"),
     .text = "--groups {groups}: {processes} processes are too few for such groups; lower the number of --groups"},
    {"groups-root", RELATION_LAUNCH, RELATION_REFUSED,
     .when = {IS_NOT("groups", "all")},
     .require = BELOW("root", "smallest-group"),
     .text = "--root {root}: the smallest of the groups has {smallest-group} processes; give 0 to {limit}"},
    {"group-size", RELATION_LAUNCH, RELATION_REFUSED,
     .require = AT_MOST("group-size", .right = "processes"),
     .text = "--group-size {group-size}: exceeds the {processes} processes; lower it"},
    {"group-size-groups", RELATION_LAUNCH, RELATION_REFUSED,
     .when = {IS_NOT("groups", "all")},
     .require = AT_MOST("group-size", .right = "smallest-group"),
     .text = "--group-size {group-size}: the smallest of the groups has {smallest-group} processes; lower it"},

    {"rotating-root", RELATION_OPERATION, RELATION_REFUSED,
     .when = {IS("scheme", "rotating-root")},
     .require = IS_TRUE("operation.root"),
     .text = "--scheme {scheme}: {operation} has no root; take rooted operations or --scheme loop"},
    {"group-size-ignored", RELATION_OPERATION, RELATION_REFUSED,
     .when = {FROM_ONE("group-size")},
     .require = IS("operation.group", "point-to-point", "transfers", "topologies", "bursts"),
     .text = "--group-size {group-size}: {operation} has no groups of messages and would ignore it; take --groups "
             "size:{group-size}, or remove one of the two"},
    {"first-call-unprepared", RELATION_OPERATION, RELATION_REFUSED,
     .when = {IS_TRUE("first-call")},
     .require = IS_TRUE("operation.unprepared"),
     .text = "--first-call: {operation} needs other MPI calls before its own; take another operation"},
    {"in-place", RELATION_OPERATION, RELATION_NOT_SUPPORTED,
     .when = {IS_TRUE("in-place")},
     .require = IS_TRUE("operation.in_place"),
     .text = "the standard has no in-place form of this operation"},
    {"large-counts", RELATION_OPERATION, RELATION_NOT_SUPPORTED,
     .when = {IS_TRUE("large-counts")},
     .require = IS_TRUE("operation.large_counts"),
     .text = "this operation has no form with MPI_Count"},
    {"buffered-sends", RELATION_OPERATION, RELATION_NOT_SUPPORTED,
     .when = {IS_TRUE("buffered-sends")},
     .require = IS_TRUE("operation.plain_sends"),
     .text = "this operation has no plain sends"},
    {"threads", RELATION_OPERATION, RELATION_NOT_SUPPORTED,
     .when = {IS_TRUE("operation.threads")},
     .require = FROM_ONE("threads"),
     .text = "this operation needs --threads"},
    {"derived-reduction", RELATION_OPERATION, RELATION_NOT_SUPPORTED,
     .when = {IS("datatype", "vector", "indexed"), IS_FALSE("operation.fixed")},
     .require = IS_FALSE("operation.reduces"),
     .text = "a derived datatype cannot be reduced"},
    {"cold-persistent", RELATION_OPERATION, RELATION_NOT_SUPPORTED,
     .when = {IS("buffers", "cold")},
     .require = IS_FALSE("operation.persistent"),
     .text = "a persistent operation has fixed buffers, which cannot be cold"},
    {"rotating-in-place", RELATION_OPERATION, RELATION_NOT_SUPPORTED,
     .when = {IS("scheme", "rotating-root")},
     .require = IS_FALSE("in-place"),
     .text = "the root of an in-place or persistent operation cannot rotate"},
    {"rotating-persistent", RELATION_OPERATION, RELATION_NOT_SUPPORTED,
     .when = {IS("scheme", "rotating-root")},
     .require = IS_FALSE("operation.persistent"),
     .text = "the root of an in-place or persistent operation cannot rotate"},
    {"needs-processes", RELATION_OPERATION, RELATION_NOT_SUPPORTED,
     .require = AT_LEAST("smallest-group", "operation.needs_processes"),
     .text = "this operation needs at least two processes"},

    {"sizes-needed", RELATION_CASE, RELATION_REFUSED,
     .require = IS_TRUE("sizes.given"),
     .text = "--sizes is missing; {operation} needs it, for example --sizes 8:64KiB:x8"},
    {"whole-elements", RELATION_CASE, RELATION_REFUSED,
     .require = MULTIPLE_OF("bytes", "element.size"),
     .text = "--sizes: {bytes} bytes is not a multiple of the datatype of {operation}, {element.name} ({element.size} "
             "bytes)"},
    {"byte-reduction", RELATION_CASE, RELATION_REFUSED,
     .when = {IS_TRUE("operation.reduces")},
     .require = IS_NOT("element.name", "byte"),
     .text = "--datatype byte cannot be reduced by {reduce-op}; give int, float, double or auto"},
    {"vector-limit", RELATION_CASE, RELATION_REFUSED,
     .when = {IS("operation.shape", "vector"), IS_FALSE("large-counts")},
     .require = AT_MOST("bytes", .number = INT_MAX),
     .text = "--sizes: {bytes} bytes are too many for {operation}; take at most {limit}, or add --large-counts"},
    {"block-limit", RELATION_CASE, RELATION_REFUSED,
     .when = {IS("operation.shape", "blocks"), IS_FALSE("large-counts")},
     .require = AT_MOST("bytes", .times = "processes", .number = INT_MAX),
     .text = "--sizes: {bytes} bytes are too many for {operation} on {processes} processes; take at most {limit}, or "
             "add --large-counts"},
    {"burst-limit", RELATION_CASE, RELATION_REFUSED,
     .when = {IS_TRUE("operation.bursts")},
     .require = AT_MOST("bytes", .times = "burst", .number = INT_MAX),
     .text = "--sizes: {bytes} bytes are too many for {operation} with --burst {burst}; take at most {limit}, or lower "
             "--burst"},
    {"threads-limit", RELATION_CASE, RELATION_REFUSED,
     .when = {IS_TRUE("operation.threads")},
     .require = AT_MOST("bytes", .times = "threads", .number = INT_MAX),
     .text = "--sizes: {bytes} bytes are too many for {operation} with --threads {threads}; take at most {limit}, or "
             "lower --threads"},
    {"large-limit", RELATION_CASE, RELATION_REFUSED,
     .when = {IS_TRUE("large-counts")},
     .require = AT_MOST("bytes", .times = "processes", .number = MAX_BYTES),
     .text = "--sizes: {bytes} bytes are too many for {operation} on {processes} processes; take at most {limit}"},
    {"displacements", RELATION_CASE, RELATION_REFUSED,
     .when = {IS_TRUE("operation.varied"), IS_FALSE("large-counts")},
     .require = AT_MOST("farthest", .number = INT_MAX),
     .text = "--sizes: {bytes} bytes need displacements beyond an int for {operation} on {processes} processes; add "
             "--large-counts"},
};
/* clang-format on */

static const struct implication IMPLICATIONS[] = {
    {IS("scheme", "round-time"), "--stop", "time"},
};

const struct relation *relation_table(size_t *count)
{
    *count = sizeof RELATIONS / sizeof RELATIONS[0];
    return RELATIONS;
}

const struct implication *implication_table(size_t *count)
{
    *count = sizeof IMPLICATIONS / sizeof IMPLICATIONS[0];
    return IMPLICATIONS;
}
