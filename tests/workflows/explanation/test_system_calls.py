# SPDX-License-Identifier: BSD-3-Clause
"""Calls into the operating system within an operation: what is counted, and which cases and functions are named."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from isochron.common.files import FileError
from isochron.schemas.run.explanation import ChangedSetting, Effect, ExplainedCase, Explanation, SystemCall
from isochron.workflows.explanation import system_calls as module
from isochron.workflows.explanation.experiments import Experiments
from isochron.workflows.explanation.system_calls import (
    FLAGS,
    SOURCE,
    VARIABLE,
    differing_calls,
    mean_counts,
    with_system_calls,
)
from isochron.workflows.preload import compile_library, preloaded

LIBRARY = "double MPI_Wtime(void) { static double now; return now += 1.0; }"
PROGRAM = """
#include <sched.h>
#include <unistd.h>
double MPI_Wtime(void);
int main(void)
{
    sched_yield();
    for (int i = 0; i < 10; i++) {
        const double start = MPI_Wtime();
        sched_yield();
        sched_yield();
        if (i == 0)
            usleep(1);
        if (MPI_Wtime() - start != 1.0)
            return 1;
        sched_yield();
    }
    return 0;
}
"""


@pytest.mark.process
def test_calls_are_counted_within_what_is_timed(tmp_path: Path) -> None:
    for name, text in (("library.c", LIBRARY), ("program.c", PROGRAM)):
        (tmp_path / name).write_text(text)
    environment = dict(os.environ)
    counter = compile_library(tmp_path / "count.so", "gcc", [SOURCE], "", flags=["-Wall", "-Wextra", "-Werror", *FLAGS])
    for command in (
        ["gcc", "-shared", "-fPIC", "-o", "libtimes.so", "library.c"],
        ["gcc", "-D_GNU_SOURCE", "-o", "program", "program.c", "-L.", "-ltimes", f"-Wl,-rpath,{tmp_path}"],
    ):
        subprocess.run(command, cwd=tmp_path, check=True)
    environment |= {"LD_PRELOAD": preloaded(counter), VARIABLE: str(tmp_path / "calls")}
    subprocess.run(["./program"], cwd=tmp_path, env=environment, check=True)
    subprocess.run(["true"], cwd=tmp_path, env=environment, check=True)
    [file] = tmp_path.glob("calls.*")
    assert file.read_text() == "timed 10\nsched_yield 20\nusleep 1\n"


def test_counts_of_all_processes_are_averaged_over_what_is_timed() -> None:
    assert mean_counts(["timed 10\nread 5\n", "timed 10\nread 15\npoll 2\n"]) == {"read": 1.0, "poll": 0.1}
    with pytest.raises(FileError, match="no process has counted"):
        mean_counts([])


def test_functions_that_are_called_much_more_often_are_named_the_largest_difference_first() -> None:
    old = {"read": 1.0, "write": 3.0, "poll": 0.1, "mmap": 4.0}
    new = {"read": 2.0, "write": 5.0, "poll": 0.4, "sched_yield": 2.1, "mmap": 0.0}
    assert differing_calls(old, new) == [
        SystemCall(function="mmap", old=4.0, new=0.0),
        SystemCall(function="sched_yield", old=0.0, new=2.1),
        SystemCall(function="read", old=1.0, new=2.0),
    ]


CAUSE = ChangedSetting(setting="X", variable="X", old="1", new="0")


def case(operation: str, verdict: Any, share: float | None = None) -> ExplainedCase:
    effect = None if share is None else Effect(share=share, low=share, high=share)
    return ExplainedCase(operation=operation, bytes=64, ratio=2.0, verdict=verdict, forward=effect, causes=[CAUSE])


def test_cases_are_counted_that_settings_do_not_explain(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def counts(one: ExplainedCase, _: Experiments, stack: str, __: Path, settings: Any) -> dict[str, float]:
        asked.append(" ".join([one.operation, stack, *map("=".join, settings.items())]))
        if one.operation == "scan":
            raise FileError("no plain program")
        return {"sched_yield": 2.1 if stack == "new" else 0.01}

    monkeypatch.setattr(module, "_counts", counts)
    monkeypatch.setattr(module, "_build_counter", lambda *_: Path("counter"))
    cases = [
        case("ping-pong", "no-setting"), case("burst", "no-setting"), case("bcast", "explained", 0.9),
        case("gather", "explained", 0.3), case("scan", "no-setting"), case("reduce", "not-shown"),
        case("exscan", "unfinished"),
    ]  # fmt: skip
    explanation = Explanation(
        old="old", new="new", old_library="a", new_library="b", processes=2, processes_per_node=2, placement="packed",
        tried=[], refused={}, only_old=[], only_new=[], cases=cases, blocks=8, experiments=1, launches=1,
    )  # fmt: skip
    site = SimpleNamespace(reframe_config=None)
    experiments = cast(Experiments, SimpleNamespace(campaign=SimpleNamespace(site=site), old="old", new="new"))
    counted = with_system_calls(explanation, experiments)
    assert asked == [
        "ping-pong old", "ping-pong new", "burst old", "burst new", "gather old", "gather new X=1", "scan old",
    ]  # fmt: skip
    yields = [SystemCall(function="sched_yield", old=0.01, new=2.1)]
    assert [one.system_calls for one in counted.cases] == [yields, yields, [], yields, [], [], []]
    site.reframe_config = "site.py"
    assert with_system_calls(explanation, experiments) == explanation
    assert counted.cases[0].in_words(0) == "by no setting; called in each: sched_yield 0.01 → 2.1 times"
    assert counted.cases[3].in_words(0).endswith("; without these, called in each: sched_yield 0.01 → 2.1 times")
