/* SPDX-License-Identifier: BSD-3-Clause */
/* relation.c: holds facts against relations (see relation.h). */
#include "options/relation.h"

enum { RELATION_LINE = 480 };

bool relation_is_broken(const struct relation *relation, const struct facts *facts)
{
    for (int i = 0; i < RELATION_CONDITIONS && relation->when[i].kind != CONDITION_NONE; i++)
        if (condition_ask(&relation->when[i], facts) != CONDITION_HOLDS)
            return false;
    return condition_ask(&relation->require, facts) == CONDITION_FAILS;
}

/* The first broken relation of that kind. */
static const struct relation *relation_first(const struct relation *relations, size_t count, enum relation_scope scope,
                                             enum relation_effect effect, const struct facts *facts)
{
    for (size_t i = 0; i < count; i++)
        if (relations[i].scope == scope && relations[i].effect == effect && relation_is_broken(&relations[i], facts))
            return &relations[i];
    return NULL;
}

int relation_check(const struct relation *relations, size_t count, enum relation_scope scope, const struct facts *facts,
                   struct fault *fault)
{
    const struct relation *const broken = relation_first(relations, count, scope, RELATION_REFUSED, facts);
    char line[RELATION_LINE];
    if (broken == NULL)
        return 0;
    condition_explain(&broken->require, facts, broken->text, line, sizeof line);
    return fault_set(fault, FAULT_USAGE, "%s", line);
}

const char *relation_lacks(const struct relation *relations, size_t count, enum relation_scope scope,
                           const struct facts *facts)
{
    const struct relation *const broken = relation_first(relations, count, scope, RELATION_NOT_SUPPORTED, facts);
    return broken == NULL ? NULL : broken->text;
}
