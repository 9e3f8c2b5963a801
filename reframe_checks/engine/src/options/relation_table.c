/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * relation_table.c: every relation of the engine's options (see relation.h). They are asked in this order.
 *
 * Facts are those of option_facts.h, and usage_facts.h adds: processes; operation (its name) and operation.X (what
 * --describe says of operations); bytes; element.name and element.size, of the datatype that the case works with;
 * farthest, the last displacement that the call needs.
 */
#include "options/relation_table.h"

#include <limits.h>

/* clang-format off */
#define IS_TRUE(fact) {.left = fact, .kind = CONDITION_TRUE}
#define IS_FALSE(fact) {.left = fact, .kind = CONDITION_FALSE}
#define IS(fact, ...) {.left = fact, .kind = CONDITION_IS, .words = {__VA_ARGS__}}
#define IS_NOT(fact, ...) {.left = fact, .kind = CONDITION_IS_NOT, .words = {__VA_ARGS__}}
#define AT_MOST(fact, ...) {.left = fact, .kind = CONDITION_AT_MOST, __VA_ARGS__}
#define AT_LEAST(fact, other) {.left = fact, .kind = CONDITION_AT_LEAST, .right = other}
#define BELOW(fact, other) {.left = fact, .kind = CONDITION_BELOW, .right = other}
#define MULTIPLE_OF(fact, other) {.left = fact, .kind = CONDITION_MULTIPLE_OF, .right = other}
#define POWER_OF_TWO(fact) {.left = fact, .kind = CONDITION_POWER_OF_TWO}

/* Of all blocks together, a pebibyte: beyond any machine, and far below what 64 bits hold. */
#define MOST_BYTES 1125899906842624.0

static const struct relation RELATIONS[] = {
    {"operations-needed", RELATION_OPTIONS, RELATION_REFUSED,
     .require = IS_TRUE("operations.given"),
     .text = "--operations is missing; --list prints what there is"},
    {"output-needed", RELATION_OPTIONS, RELATION_REFUSED,
     .when = {IS_FALSE("check-options")},
     .require = IS_TRUE("output.given"),
     .text = "--output is missing; name the file to make"},
    {"alignment", RELATION_OPTIONS, RELATION_REFUSED,
     .require = POWER_OF_TWO("alignment"),
     .text = "--alignment {alignment}: give a power of two"},
    {"min-valid-max-valid", RELATION_OPTIONS, RELATION_REFUSED,
     .require = AT_MOST("min-valid", .right = "max-valid"),
     .text = "--min-valid {min-valid} is more than --max-valid or --max-reps allows; lower it or raise those"},
    {"min-valid-max-reps", RELATION_OPTIONS, RELATION_REFUSED,
     .require = AT_MOST("min-valid", .right = "max-reps"),
     .text = "--min-valid {min-valid} is more than --max-valid or --max-reps allows; lower it or raise those"},
    {"time-budget", RELATION_OPTIONS, RELATION_REFUSED,
     .when = {IS_TRUE("time-budget.given")},
     .require = IS("stop", "time"),
     .text = "--time-budget works with --stop time only; add that or leave it out"},
    {"arrival-spread", RELATION_OPTIONS, RELATION_REFUSED,
     .when = {IS("arrival", "ascending", "descending", "random")},
     .require = AT_MOST("arrival-spread-us", .right = "max-slot-us", .factor = 0.5),
     .text = "--arrival: the spread is above half of --max-slot-us {max-slot-us}; raise that"},
    {"arrival-late", RELATION_OPTIONS, RELATION_REFUSED,
     .when = {IS("arrival", "one-late")},
     .require = AT_MOST("arrival.US", .right = "max-slot-us", .factor = 0.5),
     .text = "--arrival: the spread is above half of --max-slot-us {max-slot-us}; raise that"},
    {"loop-arrival", RELATION_OPTIONS, RELATION_REFUSED,
     .when = {IS("scheme", "loop", "rotating-root")},
     .require = IS("arrival", "none"),
     .text = "--scheme {scheme}: a loop has no start times, so --arrival is without meaning"},
    {"loop-overlap", RELATION_OPTIONS, RELATION_REFUSED,
     .when = {IS("scheme", "loop", "rotating-root")},
     .require = IS_FALSE("overlap"),
     .text = "--scheme {scheme}: in a loop --overlap is without meaning"},
    {"loop-operations-per-rep", RELATION_OPTIONS, RELATION_REFUSED,
     .when = {IS("scheme", "loop", "rotating-root")},
     .require = AT_MOST("operations-per-rep", .number = 1),
     .text = "--scheme {scheme}: a loop has as many operations as --batch says; leave --operations-per-rep out"},
    {"operations-per-rep-arrival", RELATION_OPTIONS, RELATION_REFUSED,
     .when = {IS_NOT("arrival", "none")},
     .require = AT_MOST("operations-per-rep", .number = 1),
     .text = "--operations-per-rep {operations-per-rep}: only the first of them would meet the --arrival; take 1"},
    {"operations-per-rep-overlap", RELATION_OPTIONS, RELATION_REFUSED,
     .when = {IS_TRUE("overlap")},
     .require = AT_MOST("operations-per-rep", .number = 1),
     .text = "--operations-per-rep {operations-per-rep}: --overlap is that of one operation; take 1"},
    {"operations-per-rep-buffered", RELATION_OPTIONS, RELATION_REFUSED,
     .when = {IS_TRUE("buffered-sends")},
     .require = AT_MOST("operations-per-rep", .number = 1),
     .text = "--operations-per-rep {operations-per-rep}: nothing says when the buffer of --buffered-sends is free"},
    {"first-call-rank-order", RELATION_OPTIONS, RELATION_REFUSED,
     .when = {IS_TRUE("first-call")},
     .require = IS("rank-order", "identity"),
     .text = "--first-call: another --rank-order needs a communicator, and messages before the first call; leave it out"},
    {"first-call-memory", RELATION_OPTIONS, RELATION_REFUSED,
     .when = {IS_TRUE("first-call")},
     .require = IS_FALSE("memory"),
     .text = "--first-call: --memory sends messages before the first call; leave it out"},
    {"loop-buffered", RELATION_OPTIONS, RELATION_REFUSED,
     .when = {IS("scheme", "loop", "rotating-root")},
     .require = IS_FALSE("buffered-sends"),
     .text = "--scheme {scheme}: in a loop nothing says when the buffer of --buffered-sends is free; take another one"},

    {"root", RELATION_LAUNCH, RELATION_REFUSED,
     .require = BELOW("root", "processes"),
     .text = "--root {root}: with {processes} processes give 0 to {limit}"},
    {"group-size", RELATION_LAUNCH, RELATION_REFUSED,
     .require = AT_MOST("group-size", .right = "processes"),
     .text = "--group-size {group-size}: there are {processes} processes"},

    {"rotating-root", RELATION_OPERATION, RELATION_REFUSED,
     .when = {IS("scheme", "rotating-root")},
     .require = IS_TRUE("operation.root"),
     .text = "--scheme {scheme}: {operation} has no root; take rooted operations or --scheme loop"},
    {"first-call-unprepared", RELATION_OPERATION, RELATION_REFUSED,
     .when = {IS_TRUE("first-call")},
     .require = IS_TRUE("operation.unprepared"),
     .text = "--first-call: {operation} needs other MPI calls before its own; take one that does not"},
    {"in-place", RELATION_OPERATION, RELATION_NOT_SUPPORTED,
     .when = {IS_TRUE("in-place")},
     .require = IS_TRUE("operation.in_place"),
     .text = "the standard has no in-place form of this operation"},
    {"large-counts", RELATION_OPERATION, RELATION_NOT_SUPPORTED,
     .when = {IS_TRUE("large-counts")},
     .require = IS_TRUE("operation.large_counts"),
     .text = "this operation has no form with MPI_Count here"},
    {"buffered-sends", RELATION_OPERATION, RELATION_NOT_SUPPORTED,
     .when = {IS_TRUE("buffered-sends")},
     .require = IS_TRUE("operation.plain_sends"),
     .text = "this operation has no plain sends that a buffer could take"},
    {"derived-reduction", RELATION_OPERATION, RELATION_NOT_SUPPORTED,
     .when = {IS("datatype", "vector", "indexed"), IS_FALSE("operation.fixed")},
     .require = IS_FALSE("operation.reduces"),
     .text = "a derived datatype cannot be reduced"},
    {"cold-persistent", RELATION_OPERATION, RELATION_NOT_SUPPORTED,
     .when = {IS("buffers", "cold")},
     .require = IS_FALSE("operation.persistent"),
     .text = "a persistent operation keeps its buffers: they cannot be cold"},
    {"rotating-in-place", RELATION_OPERATION, RELATION_NOT_SUPPORTED,
     .when = {IS("scheme", "rotating-root")},
     .require = IS_FALSE("in-place"),
     .text = "the root of an operation in place, or of a persistent one, cannot rotate"},
    {"rotating-persistent", RELATION_OPERATION, RELATION_NOT_SUPPORTED,
     .when = {IS("scheme", "rotating-root")},
     .require = IS_FALSE("operation.persistent"),
     .text = "the root of an operation in place, or of a persistent one, cannot rotate"},
    {"needs-processes", RELATION_OPERATION, RELATION_NOT_SUPPORTED,
     .require = AT_LEAST("processes", "operation.needs_processes"),
     .text = "this operation needs two processes"},

    {"sizes-needed", RELATION_CASE, RELATION_REFUSED,
     .require = IS_TRUE("sizes.given"),
     .text = "--sizes is missing; {operation} needs it, for example --sizes 8:64KiB:x8"},
    {"whole-elements", RELATION_CASE, RELATION_REFUSED,
     .require = MULTIPLE_OF("bytes", "element.size"),
     .text = "--sizes: {bytes} bytes are no whole number of --datatype {element.name} ({element.size} bytes)"},
    {"byte-reduction", RELATION_CASE, RELATION_REFUSED,
     .when = {IS_TRUE("operation.reduces")},
     .require = IS_NOT("element.name", "byte"),
     .text = "--datatype byte cannot be reduced by {reduce-op}; give int, float, double or auto"},
    {"vector-limit", RELATION_CASE, RELATION_REFUSED,
     .when = {IS("operation.shape", "vector"), IS_FALSE("large-counts")},
     .require = AT_MOST("bytes", .number = INT_MAX),
     .text = "--sizes: {bytes} bytes are too many for {operation}; at most {limit}, or --large-counts"},
    {"block-limit", RELATION_CASE, RELATION_REFUSED,
     .when = {IS("operation.shape", "blocks"), IS_FALSE("large-counts")},
     .require = AT_MOST("bytes", .times = "processes", .number = INT_MAX),
     .text = "--sizes: {bytes} bytes are too many for {operation} on {processes} processes; at most {limit}, or "
             "--large-counts"},
    {"large-limit", RELATION_CASE, RELATION_REFUSED,
     .when = {IS_TRUE("large-counts")},
     .require = AT_MOST("bytes", .times = "processes", .number = MOST_BYTES),
     .text = "--sizes: {bytes} bytes are too many for {operation} on {processes} processes; at most {limit}"},
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
