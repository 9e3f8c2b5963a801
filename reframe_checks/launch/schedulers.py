# SPDX-License-Identifier: BSD-3-Clause
"""What a job script takes from its scheduler: hosts, the end of steps, what tells a restart, and facts of the job."""

import shlex

from isochron.schemas.scheduler_kind import SchedulerKind, scheduler_kinds, scheduler_name, scheduler_of


def scheduler_lines(back_end: str) -> list[str]:
    """Return the lines of bash that define what job.sh expects of the scheduler.

    `back_end`: ReFrame's name. If no file describes it, as `local`, the job may be within one of any scheduler: the
    first whose variable is set counts, and of several Flux, which runs within jobs of others.
    """
    known = scheduler_of(back_end)
    lines = ["scheduler_hosts() {", "    hostname", "}", "end_steps() {", "    :", "}"]
    lines += ["before_launch() {", "    :", "}", "scheduler= restarts= components="]
    kinds = scheduler_kinds() if known is None else {scheduler_name(back_end): known}
    for word, (name, kind) in zip(["if", *["elif"] * len(kinds)], kinds.items(), strict=False):
        lines += [f'{word} [ -n "${{{kind.within}-}}" ]; then', *(f"    {line}" for line in _lines(name, kind))]
    lines += ["fi"]
    pairs = [f"{name}={variable}" for kind in kinds.values() for name, variable in kind.job_facts.items()]
    return [*lines, f"job_facts=({shlex.join(pairs)})"]


def _lines(name: str, kind: SchedulerKind) -> list[str]:
    functions = {"scheduler_hosts": kind.hosts, "end_steps": kind.end_steps, "before_launch": kind.before_launch}
    lines = []
    for function, body in functions.items():
        if body is not None:
            lines += [f"{function}() {{", *(f"    {line}" for line in body.splitlines()), "}"]
    return [*lines, f"scheduler={name} restarts={kind.restarts or ''} components={kind.components or ''}"]


def node_facts() -> list[str]:
    """Return the arguments of node_facts.sh about a node: facts and the variables of schedulers that state them."""
    return [f"{name}={variable}" for kind in scheduler_kinds().values() for name, variable in kind.node_facts.items()]
