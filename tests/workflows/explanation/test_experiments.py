# SPDX-License-Identifier: BSD-3-Clause
"""Which experiments are measured, and which are found."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.plan import Point
from isochron.workflows.explanation import experiments as module
from isochron.workflows.explanation.experiments import Experiments, OutOfMinutesError, Setup
from isochron.workflows.planning.estimate import Durations

SETUPS: dict[str, Setup] = {"m5.old-1": ("m5", {"A": "0"})}


class Played:
    """Experiments of ten seconds, without a library: which were measured afresh, and which were asked for."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.afresh: list[bool] = []
        plan = SimpleNamespace(seconds=10.0, launches=[1, 2], locks={})
        monkeypatch.setattr(module, "make_plan", lambda *_: plan)
        monkeypatch.setattr(module, "earlier_durations", lambda *_: {})
        monkeypatch.setattr(module, "Plan", SimpleNamespace(load=lambda _: plan))
        monkeypatch.setattr(module, "run_of", self._run_of)
        monkeypatch.setattr(module, "measure", lambda *_, **__: None)
        monkeypatch.setattr(module, "explained_shares", lambda *_: [])
        monkeypatch.setattr(Experiments, "_is_measured", lambda *_: bool(self.afresh))
        monkeypatch.setattr(
            Experiments,
            "campaign_of",
            lambda _, setups, __: SimpleNamespace(name="e", model_dump_json=lambda: str(setups)),
        )

    def _run_of(self, *_: object, again: bool, **__: object) -> RunLayout:
        self.afresh.append(again)
        return RunLayout(Path("r"))


def experiments(*, again: bool, budget: float) -> Experiments:
    nothing = cast(Any, None)
    point = Point(processes=2, processes_per_node=2, placement="packed")
    return Experiments(
        RunLayout(Path("a/b/c")), nothing, "m4", "m5", point, 12, nothing, quiet=True, again=again, budget=budget
    )


def test_a_second_search_of_a_call_finds_what_the_first_has_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    played, first = Played(monkeypatch), experiments(again=True, budget=10.0)
    first.measure(SETUPS, [])
    second = replace(first, budget=0.0)
    second.measure(SETUPS, [])
    assert played.afresh == [True, False]
    with pytest.raises(OutOfMinutesError):
        second.measure({}, [])


def test_what_does_not_fit_into_the_budget_is_not_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    played = Played(monkeypatch)
    with pytest.raises(OutOfMinutesError):
        experiments(again=False, budget=9.0).measure(SETUPS, [])
    assert not played.afresh
    experiments(again=False, budget=10.0).measure(SETUPS, [])
    experiments(again=False, budget=0.0).measure(SETUPS, [])
    assert played.afresh == [False, False], "the second is found, and costs nothing"


def test_a_variant_that_was_not_measured_yet_takes_as_long_as_its_stack(monkeypatch: pytest.MonkeyPatch) -> None:
    Played(monkeypatch)
    point, other = (Point(processes=count, processes_per_node=2, placement="packed") for count in (2, 4))
    known = {("m4", point): 3.0, ("m5", point): 5.0, ("m5", other): 7.0, ("m5.old-1", other): 6.0}
    planned: list[Durations] = []
    plan = SimpleNamespace(seconds=10.0, launches=[], locks={})
    monkeypatch.setattr(module, "earlier_durations", lambda *_: known)
    monkeypatch.setattr(module, "make_plan", lambda _, durations: planned.append(durations) or plan)
    experiments(again=False, budget=10.0).measure(SETUPS, [])
    assert planned == [{**known, ("m5.old-1", point): 5.0}]
