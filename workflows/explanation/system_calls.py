# SPDX-License-Identifier: BSD-3-Clause
"""Calls into the operating system within an operation: what no setting explains can be seen in them.

A plain program of the operation (`workflows.reproducer`) is started once with each library, under a library that counts
(`system_calls.c`). That slows the calls down, and takes no part in the times.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from isochron.common.files import FileError, read_text
from isochron.common.resources import shipped
from isochron.schemas.engine.contract import operation as described
from isochron.schemas.run.explanation import ExplainedCase, Explanation, SystemCall, set_back
from isochron.spack_envs.toolchain import applied
from isochron.workflows.explanation.experiments import Experiments
from isochron.workflows.preload import compile_library, preloaded
from isochron.workflows.reproducer.commands import Side
from isochron.workflows.reproducer.program import make_program
from isochron.workflows.reproducer.threads import FLAG

SOURCE = shipped("workflows", "explanation", "system_calls.c")
#: Environment variable with the beginning of the name of the file that each process writes.
VARIABLE = "ISOCHRON_SYSTEM_CALLS"
FLAGS = ("-D_GNU_SOURCE", "-pthread")

#: A call is named if an operation has so many more of it with one library, and so many times as many.
LEAST, FACTOR = 0.5, 2.0
#: Microseconds that a call of an operation may take, of which the repetitions of the program follow: few suffice.
EXPECTED_US = 1000.0


def with_system_calls(explanation: Explanation, experiments: Experiments) -> Explanation:
    """Return an explanation with the calls that differ, in cases that settings do not explain.

    `experiments`: those that it rests on. Nothing is counted at a site, whose scheduler makes the launches. An
    operation without a plain program, or whose program fails, is left out.
    """
    asked = [
        one for one in explanation.cases if not one.is_given_back and one.verdict not in ("not-shown", "unfinished")
    ]
    if not asked or experiments.campaign.site.reframe_config is not None:
        return explanation
    try:
        counters = {stack: _build_counter(experiments, stack) for stack in (experiments.old, experiments.new)}
    except FileError:
        return explanation
    cases = [_with_calls(one, experiments, counters) if _is_asked(one) else one for one in explanation.cases]
    return explanation.model_copy(update={"cases": cases})


def _is_asked(case: ExplainedCase) -> bool:
    """Return True if settings explain too little of a case."""
    return not case.is_given_back and case.verdict not in ("not-shown", "unfinished")


def _build_counter(experiments: Experiments, stack: str) -> Path:
    """Compile the library that counts with the compiler of a stack. Raises FileError."""
    manifest = experiments.manifest(stack)
    target = experiments.readers / f"system-calls-{stack}.so"
    target.parent.mkdir(parents=True, exist_ok=True)
    environment = applied(manifest.environment, os.environ)
    return compile_library(target, manifest.cc, [SOURCE], "nothing is counted", flags=FLAGS, environment=environment)


def _with_calls(case: ExplainedCase, experiments: Experiments, counters: Mapping[str, Path]) -> ExplainedCase:
    """Return a case with the calls that differ; the new library has the old values of what explains a part."""
    variables = set_back(case.causes) if case.forward is not None else {}
    try:
        old, new = (
            _counts(case, experiments, stack, counters[stack], settings)
            for stack, settings in ((experiments.old, {}), (experiments.new, variables))
        )
    except FileError:
        return case
    return case.model_copy(update={"system_calls": differing_calls(old, new)})


def differing_calls(old: Mapping[str, float], new: Mapping[str, float]) -> list[SystemCall]:
    """Return the functions that are called more often with one library, those that differ most first.

    `old`, `new`: calls for each operation, by function.
    """
    calls = [
        SystemCall(function=name, old=old.get(name, 0.0), new=new.get(name, 0.0))
        for name in sorted(old.keys() | new.keys())
    ]
    differing = [one for one in calls if _differs(*sorted((one.old, one.new)))]
    return sorted(differing, key=lambda one: -abs(one.new - one.old))


def _differs(less: float, more: float) -> bool:
    return more - less >= LEAST and more >= FACTOR * less


def _counts(
    case: ExplainedCase, experiments: Experiments, stack: str, counter: Path, settings: Mapping[str, str]
) -> dict[str, float]:
    """Return how often each function is called by one process for each operation, on the average. Raises FileError.

    `counter`: the library that counts; `settings`: further variables of the environment.
    """
    campaign, manifest, point = experiments.campaign, experiments.manifest(stack), experiments.point
    program = make_program(
        case.operation, case.bytes, point.processes, campaign.engine, EXPECTED_US, "system calls", one_node=False
    )
    shared = campaign.allow_oversubscription and point.processes_per_node > len(os.sched_getaffinity(0))
    flags = [FLAG] if described(case.operation).threads else []
    side = Side("counted", manifest.stack, manifest, point, shared, flags, campaign.threads_of(""))
    with TemporaryDirectory(prefix="system-calls-") as name:
        folder = Path(name)
        (folder / "program.c").write_text(program, encoding="utf-8")
        side.call(side.build("program.c", "./program"), folder)
        variables = {"LD_PRELOAD": preloaded(counter, side.environment()), VARIABLE: str(folder / "calls")}
        side.call(side.launch("./program"), folder, {**settings, **variables})
        return mean_counts(read_text(path, "call it again") for path in sorted(folder.glob("calls.*")))


def mean_counts(files: Iterable[str]) -> dict[str, float]:
    """Return calls for each timed part, over all processes. `files`: what they wrote. Raises FileError without any."""
    sums: dict[str, int] = {}
    for text in files:
        for line in text.splitlines():
            name, _, count = line.partition(" ")
            sums[name] = sums.get(name, 0) + int(count)
    parts = sums.pop("timed", 0)
    if not parts:
        raise FileError("no process has counted its system calls")
    return {name: count / parts for name, count in sums.items()}
