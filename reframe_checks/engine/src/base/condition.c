/* SPDX-License-Identifier: BSD-3-Clause */
/* condition.c: asks conditions of facts (see condition.h). */
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

const char *condition_word(enum condition_kind kind)
{
    return CONDITION_NAMES[kind];
}

static struct fact condition_number(const char *name, double number, const struct facts *facts)
{
    if (name != NULL)
        return facts->find(facts->from, name);
    return number == floor(number) ? fact_integer((int64_t)number) : fact_real(number);
}

static bool condition_is_number(const struct fact *fact)
{
    return fact->kind == FACT_INTEGER || fact->kind == FACT_REAL;
}

static bool condition_has_word(const struct condition *condition, const char *word)
{
    for (int i = 0; i < CONDITION_WORDS && condition->words[i] != NULL; i++)
        if (strcmp(condition->words[i], word) == 0)
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

/* The same for whole numbers, exactly; times is 1 or more, so that no product is needed. */
static bool condition_compare_whole(enum condition_kind kind, int64_t left, int64_t times, int64_t right)
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

static enum condition_answer condition_of(bool holds)
{
    return holds ? CONDITION_HOLDS : CONDITION_FAILS;
}

enum condition_answer condition_ask(const struct condition *condition, const struct facts *facts)
{
    const struct fact left = facts->find(facts->from, condition->left);
    if (left.kind == FACT_UNKNOWN)
        return CONDITION_UNKNOWN;
    if (left.kind == FACT_FLAG)
        return condition_of(left.flag == (condition->kind == CONDITION_TRUE));
    if (left.kind == FACT_WORD)
        return condition_of(condition_has_word(condition, left.word) == (condition->kind == CONDITION_IS));
    const struct fact times = condition_number(condition->times, 1.0, facts);
    const struct fact right = condition_number(condition->right, condition->number, facts);
    if (!condition_is_number(&times) || !condition_is_number(&right))
        return CONDITION_UNKNOWN;
    if (left.kind == FACT_INTEGER && times.kind == FACT_INTEGER && times.integer >= 1 && right.kind == FACT_INTEGER &&
        condition->factor == 0.0)
        return condition_of(condition_compare_whole(condition->kind, left.integer, times.integer, right.integer));
    const double factor = condition->factor == 0.0 ? 1.0 : condition->factor;
    return condition_of(condition_compare(condition->kind, left.real * times.real, right.real * factor));
}

/* The most that the left side may be. */
static struct fact condition_limit(const struct condition *condition, const struct facts *facts)
{
    const struct fact times = condition_number(condition->times, 1.0, facts);
    const struct fact right = condition_number(condition->right, condition->number, facts);
    if (!condition_is_number(&times) || !condition_is_number(&right))
        return fact_unknown();
    if (right.kind == FACT_REAL || times.kind == FACT_REAL || condition->factor != 0.0)
        return fact_real(right.real * (condition->factor == 0.0 ? 1.0 : condition->factor) / times.real);
    const int64_t most = times.integer < 1 ? right.integer : right.integer / times.integer;
    return fact_integer(condition->kind == CONDITION_BELOW ? most - 1 : most);
}

static int condition_print(const struct fact *fact, char *line, size_t capacity)
{
    switch (fact->kind) {
    case FACT_INTEGER:
        return snprintf(line, capacity, "%lld", (long long)fact->integer);
    case FACT_REAL:
        return snprintf(line, capacity, "%.10g", fact->real);
    case FACT_WORD:
        return snprintf(line, capacity, "%.100s", fact->word);
    case FACT_FLAG:
        return snprintf(line, capacity, "%s", fact->flag ? "true" : "false");
    case FACT_UNKNOWN:
        break;
    }
    return snprintf(line, capacity, "?");
}

void condition_explain(const struct condition *condition, const struct facts *facts, const char *text, char *line,
                       size_t capacity)
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
        const struct fact fact =
            strcmp(name, "limit") == 0 ? condition_limit(condition, facts) : facts->find(facts->from, name);
        const int printed = condition_print(&fact, line + used, capacity - used);
        used += printed < 0 ? 0 : (size_t)printed;
        c += length + 2;
    }
    line[used < capacity ? used : capacity - 1] = '\0';
}
