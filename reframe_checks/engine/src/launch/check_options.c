/* SPDX-License-Identifier: BSD-3-Clause */
/* check_options.c: everything that a launch asks of its command line (see check_options.h). */
#include "launch/check_options.h"

#include "base/output.h"
#include "operation/operation_select.h"
#include "operations/operation_forms.h"
#include "usage/usage.h"

int check_options_cases(const struct options *options, int processes, struct fault *fault)
{
    struct operation_list list = {0};
    if (operation_expand(options->large_counts, &list, fault) == 0 &&
        operation_select(options->operations, &list, fault) == 0)
        usage_check(options, &list, processes, fault);
    operation_list_free(&list);
    return (int)fault->code;
}

int check_options(const struct options *options, struct fault *fault)
{
    const int processes = (int)options->expect_ranks;
    if (options->check_timer)
        return 0;
    if (check_options_cases(options, processes, fault) == 0)
        rank_order_check(&options->rank_order, processes, fault);
    return options->output == NULL ? (int)fault->code : output_check(options->output, fault);
}
