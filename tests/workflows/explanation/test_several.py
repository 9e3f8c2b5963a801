# SPDX-License-Identifier: BSD-3-Clause
"""Several differences in a row: whose causes are tried first, and who gets which minutes."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, cast

import pytest

from isochron.schemas.run.explanation import ChangedSetting, Effect, ExplainedCase, Explanation, Explanations, Step
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.plan import Point
from isochron.workflows.explanation import several
from isochron.workflows.explanation.experiments import Experiments, OutOfMinutesError
from isochron.workflows.explanation.explain import Difference
from isochron.workflows.explanation.several import Asked, explain_all

#: All settings, one that explains by itself, and one that does not.
STEPS = [
    Step(settings=names, effect=Effect(share=share, low=share - 0.1, high=share + 0.1))
    for names, share in ((["alone", "idle"], 0.9), (["alone"], 0.8), (["idle"], 0.0))
]
POINT = Point(processes=2, processes_per_node=2, placement="packed")


class Played:
    """Searches that take so many seconds in all, the first 30 for an experiment without settings."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, takes: dict[str, float]) -> None:
        self.takes, self.measured, self.calls = takes, dict.fromkeys(takes, 0.0), list[tuple[str, list[str], float]]()
        monkeypatch.setattr(several, "explain", self.explain)
        monkeypatch.setattr(several, "with_remedies", self.with_remedies)
        monkeypatch.setattr(several, "with_system_calls", lambda explanation, _: explanation)

    def explain(self, difference: Difference, experiments: Experiments, likely: frozenset[str]) -> Explanation:
        new = difference.new
        left = experiments.budget - experiments.seconds
        self.calls.append((new, sorted(likely), left))
        if left < 30:
            raise OutOfMinutesError
        seconds = min(left, self.takes[new] - self.measured[new])
        self.measured[new] += seconds
        experiments.seconds += seconds
        done = self.measured[new] == self.takes[new]
        cause = ChangedSetting(setting=f"of-{new}", variable="X", old="0", new="1")
        case = ExplainedCase(
            operation="bcast", bytes=8, ratio=2.0, verdict="explained" if done else "unfinished",
            causes=[cause] if done else [], steps=STEPS,
        )  # fmt: skip
        return Explanation(
            old="a", new=new, old_library="", new_library="", processes=2, processes_per_node=2, placement="packed",
            tried=[], refused={}, only_old=[], only_new=[], cases=[case], blocks=12, experiments=1, launches=2,
            minutes=experiments.seconds / 60,
        )  # fmt: skip

    def with_remedies(self, explanation: Explanation, experiments: Experiments) -> Explanation:
        self.calls.append((f"remedies of {explanation.new}", [], experiments.budget - experiments.seconds))
        return explanation.model_copy(update={"without_remedies": True})


def asked(folder: Path, *names: str) -> list[Asked]:
    """Return a difference of each name, each of a run of its own."""
    nothing = cast(Any, None)
    differences = []
    for name in names:
        run = RunLayout(folder / name)
        run.root.mkdir()
        experiments = Experiments(run, nothing, "a", name, POINT, 12, nothing, quiet=True)
        differences.append(Asked(run, Difference("a", name, POINT, [("bcast", 8)]), experiments))
    return differences


def test_what_explains_one_is_tried_first_in_the_next(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    played = Played(monkeypatch, {"b": 100, "c": 100, "d": 100})
    differences, said = asked(tmp_path, "b", "c", "d"), []
    explain_all(differences, said.append)
    assert [likely for _, likely, _ in played.calls[:3]] == [[], ["of-b"], ["of-b", "of-c"]]
    assert [name for name, _, _ in played.calls[3:]] == ["remedies of b", "remedies of c", "remedies of d"]
    for one in differences:
        [written] = Explanations.load(one.run.explanation).pairs
        assert written == one.explanation and written.without_remedies
    assert sum("not tried for lack of minutes" in line for line in said) == 3
    assert sum("bcast 8 B" in line for line in said) == 3, "a case is written once, remedies or not"


def test_what_explains_by_itself_is_tried_first_though_the_search_was_cut_off(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    played = Played(monkeypatch, {"b": 500, "c": 100})
    explain_all(asked(tmp_path, "b", "c"), lambda _: None, minutes=10)
    assert played.calls[1][:2] == ("c", ["alone"])


def test_the_first_has_half_of_the_minutes_and_what_the_others_leave(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    played = Played(monkeypatch, {"b": 400, "c": 60, "d": 60})
    differences = asked(tmp_path, "b", "c", "d")
    explain_all(differences, lambda _: None, minutes=10)
    left = [(name, seconds) for name, _, seconds in played.calls]
    assert left[:4] == [("b", 300), ("c", 150), ("d", 240), ("b", 180)]
    assert all(one.is_finished for one in differences)
    assert played.calls[3][1] == [], "with what was likely before, so that the same experiments are found"
    assert left[4] == ("remedies of b", 80) and differences[0].explanation is not None
    assert differences[0].explanation.minutes == pytest.approx(400 / 60)


def test_what_was_not_begun_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    played = Played(monkeypatch, {"b": 100, "c": 100})
    differences, said = asked(tmp_path, "b", "c"), []
    explain_all(differences, said.append, minutes=0.9)
    assert [one.explanation for one in differences] == [None, differences[1].explanation]
    assert "  not begun for lack of minutes" in said
    assert not differences[0].run.explanation.exists()
    assert all(math.isfinite(seconds) for _, _, seconds in played.calls)
