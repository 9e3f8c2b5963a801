# SPDX-License-Identifier: BSD-3-Clause
"""Contrasts with a timer that the engine refuses are skipped with the reason, before anything is launched."""

from __future__ import annotations

from pathlib import Path

import pytest

from isochron.workflows.doctor.machine import CLOCK_SOURCES, Machine
from isochron.workflows.planning import parts
from isochron.workflows.planning.plan import make_plan
from isochron.workflows.planning.timers import timer_refusal
from tests.workflows.conftest import campaign

GOOD = "flags\t\t: fpu constant_tsc rep_good nonstop_tsc\n"
OTHER_SOURCE = "the kernel does not trust the time stamp counter (it uses another clock source)"
NOT_INVARIANT = "the processor has no invariant time stamp counter"


def machine(folder: Path, flags: str, source: str) -> Machine:
    """One whose kernel states this of processor and clock source."""
    for path, text in {"proc/cpuinfo": flags, f"{CLOCK_SOURCES}/current_clocksource".strip("/"): f"{source}\n"}.items():
        (folder / path).parent.mkdir(parents=True)
        (folder / path).write_text(text)
    return Machine(folder)


@pytest.mark.parametrize(
    ("flags", "source", "refusal"),
    [
        (GOOD, "tsc", ""),
        (GOOD, "kvm-clock", ""),
        (GOOD, "hyperv_clocksource_tsc_page", ""),
        (GOOD, "hpet", OTHER_SOURCE),  # as in the study
        ("flags\t\t: fpu constant_tsc\n", "tsc", NOT_INVARIANT),
        ("", "", NOT_INVARIANT),
    ],
)
def test_the_time_stamp_counter_is_refused_as_the_engine_does(
    flags: str, source: str, refusal: str, tmp_path: Path
) -> None:
    made = machine(tmp_path, flags, source)
    assert timer_refusal(campaign(), "tsc", made) == refusal
    assert timer_refusal(campaign(), "clock-gettime", made) == ""
    site = {"reframe_config": "site.py", "nodes": 2}
    at_a_site = campaign().model_copy(update={"site": campaign().site.model_copy(update=site)})
    assert timer_refusal(at_a_site, "tsc", made) == "", "its nodes are not this machine"


@pytest.mark.parametrize("refusal", ["", OTHER_SOURCE])
def test_a_contrast_with_a_refused_timer_is_skipped_and_the_others_are_not(
    refusal: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parts, "timer_refusal", lambda _, timer: refusal if timer == "tsc" else "")
    contrasts = {"tsc": {"timer": "tsc"}, "gettimeofday": {"timer": "gettimeofday"}}
    plan = make_plan(campaign(contrasts=contrasts))
    planned = {launch.contrast for launch in plan.launches}
    assert planned == ({"", "gettimeofday"} if refusal else {"", "gettimeofday", "tsc"})
    assert {item.reason for item in plan.skipped if "contrasts" in item.reason} == (
        {f"contrasts.tsc: {refusal}"} if refusal else set()
    )
