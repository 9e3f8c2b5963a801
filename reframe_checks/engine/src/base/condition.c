/* SPDX-License-Identifier: BSD-3-Clause */
/* condition.c: asks conditions of facts (see condition.h). */
#include "base/condition.h"

#include <math.h>
#include <stdint.h>
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
    return name == NULL ? (struct fact){.kind = FACT_NUMBER, .number = number} : facts->find(facts->from, name);
}

static bool condition_has_word(const struct condition *condition, const char *word)
{
    for (int i = 0; i < CONDITION_WORDS && condition->words[i] != NULL; i++)
        if (strcmp(condition->words[i], word) == 0)
            return true;
    return false;
}

static bool condition_compare(enum condition_kind kind, long double left, long double right)
{
    switch (kind) {
    case CONDITION_AT_MOST:
        return left <= right;
    case CONDITION_BELOW:
        return left < right;
    case CONDITION_AT_LEAST:
        return left >= right;
    case CONDITION_MULTIPLE_OF:
        return fmodl(left, right) == 0.0L;
    case CONDITION_POWER_OF_TWO:
        return left >= 1.0L && ((uint64_t)left & ((uint64_t)left - 1)) == 0;
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
    if (times.kind != FACT_NUMBER || right.kind != FACT_NUMBER)
        return CONDITION_UNKNOWN;
    const long double factor = condition->factor == 0.0 ? 1.0L : (long double)condition->factor;
    return condition_of(condition_compare(condition->kind, left.number * times.number, right.number * factor));
}

static struct fact condition_limit(const struct condition *condition, const struct facts *facts)
{
    const struct fact times = condition_number(condition->times, 1.0, facts);
    struct fact limit = condition_number(condition->right, condition->number, facts);
    if (condition->factor != 0.0)
        limit.number *= (long double)condition->factor;
    if (times.kind == FACT_NUMBER)
        limit.number = floorl(limit.number / times.number);
    if (condition->kind == CONDITION_BELOW)
        limit.number -= 1.0L;
    return limit;
}

static int condition_print(const struct fact *fact, char *line, size_t capacity)
{
    switch (fact->kind) {
    case FACT_NUMBER:
        if (fact->number == floorl(fact->number) && fabsl(fact->number) <= (long double)INT64_MAX)
            return snprintf(line, capacity, "%lld", (long long)fact->number);
        return snprintf(line, capacity, "%.10Lg", fact->number);
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
