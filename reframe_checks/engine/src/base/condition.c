/* SPDX-License-Identifier: BSD-3-Clause */
/* condition.c: evaluates conditions (see condition.h). */
#include "base/condition.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const CONDITION_NAMES[] = {
    [CONDITION_NONE] = "none",
    [CONDITION_TRUE] = "true",
    [CONDITION_FALSE] = "false",
    [CONDITION_IS] = "is",
    [CONDITION_IS_NOT] = "is-not",
    [CONDITION_AT_MOST] = "at-most",
    [CONDITION_BELOW] = "below",
    [CONDITION_AT_LEAST] = "at-least",
    [CONDITION_MULTIPLE_OF] = "multiple-of",
    [CONDITION_POWER_OF_TWO] = "power-of-two",
};

const char *condition_name(enum condition_kind kind)
{
    return CONDITION_NAMES[kind];
}

static struct variable condition_number(const char *name, double number, const struct variables *variables)
{
    if (name != NULL)
        return variables->find(variables->context, name);
    return number == floor(number) ? variable_integer((int64_t)number) : variable_real(number);
}

static bool condition_is_number(const struct variable *variable)
{
    return variable->kind == VARIABLE_INTEGER || variable->kind == VARIABLE_REAL;
}

static bool condition_has_value(const struct condition *condition, const char *text)
{
    for (int i = 0; i < CONDITION_VALUES && condition->values[i] != NULL; i++)
        if (strcmp(condition->values[i], text) == 0)
            return true;
    return false;
}

static bool condition_compare(enum condition_kind kind, double left, double right)
{
    switch (kind) {
    case CONDITION_AT_MOST:
        return left <= right;
    case CONDITION_BELOW:
        return left < right;
    case CONDITION_AT_LEAST:
        return left >= right;
    case CONDITION_MULTIPLE_OF:
        return fmod(left, right) == 0.0;
    case CONDITION_NONE:
    case CONDITION_TRUE:
    case CONDITION_FALSE:
    case CONDITION_IS:
    case CONDITION_IS_NOT:
    case CONDITION_POWER_OF_TWO:
        break;
    }
    return false;
}

/* The exact comparison of integers; times is at least 1, and no product is formed, which could overflow. */
static bool condition_compare_integers(enum condition_kind kind, int64_t left, int64_t times, int64_t right)
{
    const int64_t quotient = right / times, rest = right % times;
    const int64_t low = quotient - (rest < 0), high = quotient + (rest > 0);
    switch (kind) {
    case CONDITION_AT_MOST:
        return left <= low;
    case CONDITION_BELOW:
        return left < high;
    case CONDITION_AT_LEAST:
        return left >= high;
    case CONDITION_MULTIPLE_OF:
        return right != 0 && left % right == 0;
    case CONDITION_POWER_OF_TWO:
        return left >= 1 && (left & (left - 1)) == 0;
    case CONDITION_NONE:
    case CONDITION_TRUE:
    case CONDITION_FALSE:
    case CONDITION_IS:
    case CONDITION_IS_NOT:
        break;
    }
    return false;
}

static enum condition_result condition_from(bool holds)
{
    return holds ? CONDITION_HOLDS : CONDITION_FAILS;
}

enum condition_result condition_evaluate(const struct condition *condition, const struct variables *variables)
{
    const struct variable left = variables->find(variables->context, condition->left);
    if (left.kind == VARIABLE_UNKNOWN)
        return CONDITION_UNKNOWN;
    if (left.kind == VARIABLE_FLAG)
        return condition_from(left.flag == (condition->kind == CONDITION_TRUE));
    if (left.kind == VARIABLE_TEXT)
        return condition_from(condition_has_value(condition, left.text) == (condition->kind == CONDITION_IS));
    const struct variable times = condition_number(condition->times, 1.0, variables);
    const struct variable right = condition_number(condition->right, condition->number, variables);
    if (!condition_is_number(&times) || !condition_is_number(&right))
        return CONDITION_UNKNOWN;
    if (left.kind == VARIABLE_INTEGER && times.kind == VARIABLE_INTEGER && times.integer >= 1 &&
        right.kind == VARIABLE_INTEGER && condition->factor == 0.0)
        return condition_from(condition_compare_integers(condition->kind, left.integer, times.integer, right.integer));
    const double factor = condition->factor == 0.0 ? 1.0 : condition->factor;
    return condition_from(condition_compare(condition->kind, left.real * times.real, right.real * factor));
}

/* The largest value of the left side that satisfies the condition. */
static struct variable condition_limit(const struct condition *condition, const struct variables *variables)
{
    const struct variable times = condition_number(condition->times, 1.0, variables);
    const struct variable right = condition_number(condition->right, condition->number, variables);
    if (!condition_is_number(&times) || !condition_is_number(&right))
        return variable_unknown();
    if (right.kind == VARIABLE_REAL || times.kind == VARIABLE_REAL || condition->factor != 0.0)
        return variable_real(right.real * (condition->factor == 0.0 ? 1.0 : condition->factor) / times.real);
    const int64_t max = times.integer < 1 ? right.integer : right.integer / times.integer;
    return variable_integer(condition->kind == CONDITION_BELOW ? max - 1 : max);
}

static int condition_print(const struct variable *variable, char *line, size_t capacity)
{
    switch (variable->kind) {
    case VARIABLE_INTEGER:
        return snprintf(line, capacity, "%lld", (long long)variable->integer);
    case VARIABLE_REAL:
        return snprintf(line, capacity, "%.10g", variable->real);
    case VARIABLE_TEXT:
        return snprintf(line, capacity, "%.100s", variable->text);
    case VARIABLE_FLAG:
        return snprintf(line, capacity, "%s", variable->flag ? "true" : "false");
    case VARIABLE_UNKNOWN:
        break;
    }
    return snprintf(line, capacity, "?");
}

void condition_explain(const struct condition *condition, const struct variables *variables, const char *text,
                       char *line, size_t capacity)
{
    size_t used = 0;
    for (const char *c = text; *c != '\0' && used + 1 < capacity;) {
        char name[64];
        const size_t length = *c == '{' ? strcspn(c + 1, "}") : sizeof name;
        if (length >= sizeof name || c[length + 1] != '}') {
            line[used++] = *c++;
            continue;
        }
        memcpy(name, c + 1, length);
        name[length] = '\0';
        const struct variable variable = strcmp(name, "limit") == 0 ? condition_limit(condition, variables)
                                                                    : variables->find(variables->context, name);
        const int printed = condition_print(&variable, line + used, capacity - used);
        used += printed < 0 ? 0 : (size_t)printed;
        c += length + 2;
    }
    line[used < capacity ? used : capacity - 1] = '\0';
}
