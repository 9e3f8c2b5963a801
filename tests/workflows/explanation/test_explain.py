# SPDX-License-Identifier: BSD-3-Clause
"""From the differences that a run found to their reasons; the experiments are played by known effects."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from isochron.common.files import FileError
from isochron.schemas.run.explanation import ChangedSetting, Explanation, set_back
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.manifest import Environment, Manifest
from isochron.schemas.run.plan import Point
from isochron.workflows.explanation import explain as module
from isochron.workflows.explanation.candidates import Candidates
from isochron.workflows.explanation.choices import Choices
from isochron.workflows.explanation.experiments import Case, Experiments, OutOfMinutesError, Setup
from isochron.workflows.explanation.explain import MOST_CASES, Difference, explain, find_differences, with_remedies
from isochron.workflows.explanation.search import Share

POINT = Point(processes=2, processes_per_node=2, placement="packed")
MANIFESTS = {
    name: cast(Manifest, SimpleNamespace(mpi_library=library, cc=sys.executable, environment=Environment()))
    for name, library in (("m4", "MPICH"), ("m5", "MPICH"), ("o5", "Open MPI"))
}
SETTINGS = [ChangedSetting(setting=name, variable=f"X_{name}", old="1", new="0") for name in ("A", "B", "C", "D", "E")]


def row(operation: str, low: float, high: float, verdict: str = "slower", **changes: Any) -> dict[str, Any]:
    """Return the columns of comparison.csv that are read."""
    return {
        "operation": operation, "bytes": 8, "processes": 2, "processes_per_node": 2, "placement": "packed",
        "baseline": "m4", "candidate": "m5", "ratio_low": low, "ratio_high": high, "verdict": verdict,
        "family": "question", **changes,
    }  # fmt: skip


def run_with(folder: Path, *rows: dict[str, Any]) -> RunLayout:
    """Return a run with a comparison."""
    run = RunLayout(folder)
    run.tables.mkdir(parents=True)
    with (run.tables / "comparison.csv").open("w") as file:
        table = csv.DictWriter(file, list(rows[0]))
        table.writeheader()
        table.writerows(rows)
    return run


def test_the_cases_that_differ_most_come_first(tmp_path: Path) -> None:
    run = run_with(
        tmp_path, row("bcast", 1.1, 9.0), row("reduce", 1.3, 1.4), row("scan", 0.5, 0.6, "faster"),
        row("gather", 0.99, 1.01, "equivalent"), row("alltoall", 2.0, 2.1, processes=4),
        row("scatter", 2.0, 2.2, candidate="o5"), row("exscan", 2.0, 2.2, family="exploratory"),
    )  # fmt: skip
    [found] = find_differences(run, MANIFESTS, None)
    assert (found.old, found.new, found.point) == ("m4", "m5", POINT)
    assert found.cases == [("scan", 8), ("reduce", 8), ("bcast", 8)]


def test_no_more_cases_are_followed_than_can_be(tmp_path: Path) -> None:
    run = run_with(tmp_path, *(row("bcast", 1.2, 1.3, bytes=size) for size in range(MOST_CASES + 5)))
    [found] = find_differences(run, MANIFESTS, None)
    assert (len(found.cases), found.left) == (MOST_CASES, 5)


def test_each_operation_comes_once_before_one_comes_again(tmp_path: Path) -> None:
    rows = [row("bcast", 3.0, 3.1, bytes=8), row("bcast", 2.0, 2.1, bytes=64), row("scan", 1.2, 1.3, bytes=8)]
    [found] = find_differences(run_with(tmp_path, *rows), MANIFESTS, None)
    assert found.cases == [("bcast", 8), ("scan", 8), ("bcast", 64)]


@pytest.mark.parametrize(
    ("pair", "message"),
    [(None, "nothing to explain: no case"), (("m4", "m5"), "between m4 and m5"), (("m4", "o5"), "different libraries")],
)
def test_nothing_to_explain(tmp_path: Path, pair: tuple[str, str] | None, message: str) -> None:
    run = run_with(tmp_path, row("bcast", 0.9, 1.3, "inconclusive"), row("bcast", 1.9, 2.3, candidate="o5"))
    with pytest.raises(FileError, match=message):
        find_differences(run, MANIFESTS, pair)


Truth = Callable[[Case, str, frozenset[str]], float | None]


class Played(Experiments):
    """Experiments whose shares are known: by the stack of a variant and the settings that it has from the other one."""

    truth: Truth
    affordable: int = 100

    def measure(self, setups: Mapping[str, Setup], cases: Iterable[Case]) -> dict[str, dict[Case, Share | None]]:
        if self.count == self.affordable:
            raise OutOfMinutesError
        self.count += 1
        self.launches += len(setups) + 2
        every = list(cases)
        found: dict[str, dict[Case, Share | None]] = {
            self.old: {case: self._share(case, self.new, "ABCDE") for case in every}
        }
        for case in every:
            self.ratios.setdefault(case, 2.0)
        for name, (stack, variables) in setups.items():
            names = "".join(variable.removeprefix("X_") for variable in variables)
            found[name] = {case: self._share(case, stack, names) for case in every}
        self.rows = [
            {"variant": name, "operation": case[0], "bytes": case[1], "ratio": 0.5, "ratio_high": 0.6}
            for name in setups
            for case in every
            if case[1] == 4096
        ]
        return found

    def _share(self, case: Case, stack: str, names: str) -> Share | None:
        share = self.truth(case, stack, frozenset(names))
        return None if share is None else Share(share, share - 0.05, share + 0.05)

    def manifest(self, stack: str) -> Manifest:
        return MANIFESTS[stack]


def explained(
    truth: Truth,
    monkeypatch: pytest.MonkeyPatch,
    *cases: Case,
    one_way: frozenset[str] = frozenset(),
    switches: Sequence[ChangedSetting] = (),
    algorithms: dict[str, list[ChangedSetting]] | None = None,
    affordable: int = 100,
) -> Explanation:
    """Return what is found when experiments tell this truth."""
    libraries, refused = ("old text", "new text"), {"F": "2: it stays 0"}
    candidates = Candidates(SETTINGS, one_way, refused, ["gone"], ["fresh"], libraries, list(switches))
    monkeypatch.setattr(module, "find_candidates", lambda *_: candidates)
    monkeypatch.setattr(module, "find_choices", lambda *_: Choices(algorithms or {}, {}, {}, "new text"))
    monkeypatch.setattr(module, "_family", lambda _: SimpleNamespace(setting="X_{name}", algorithms_need={}))
    nothing = cast(Any, None)
    campaign = cast(Any, SimpleNamespace(chosen=[*cases, ("bcast", 4096)]))
    experiments = Played(RunLayout(Path("r/c/i")), campaign, "m4", "m5", POINT, 12, nothing, quiet=True)
    experiments.truth, experiments.affordable = truth, affordable
    return with_remedies(explain(Difference("m4", "m5", POINT, list(cases)), experiments), experiments)


def test_each_case_has_its_own_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    causes = {"bcast": "B", "reduce": "D"}

    def truth(case: Case, stack: str, names: frozenset[str]) -> float | None:
        if case[0] == "scan":
            return 0.01 if stack == "m5" else 1.0
        given = 0.9 if causes[case[0]] in names else 0.0
        return given if stack == "m5" else 1 - given

    found = explained(truth, monkeypatch, ("bcast", 8), ("reduce", 8), ("scan", 8))
    bcast, reduce, scan = found.cases
    assert [each.setting for each in bcast.causes] == ["B"]
    assert [each.setting for each in reduce.causes] == ["D"]
    assert (bcast.verdict, reduce.verdict, scan.verdict) == ("explained", "explained", "no-setting")
    assert bcast.in_words(5) == "explained to 90 % [85; 95] by B: 1 → 0 (in the old library 90 % [85; 95])"
    assert scan.in_words(5) == "by no setting: all 5 settings that differ explain 1 % [-4; 6] of it"
    assert scan.in_words(1) == "by no setting: the one setting that differs explains 1 % [-4; 6] of it"
    # two searches share their experiments: all settings, all and each by itself, the end
    assert found.experiments == 3


def test_what_only_the_new_library_shows_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def truth(_: Case, stack: str, names: frozenset[str]) -> float | None:
        return (0.9 if "C" in names else 0.0) if stack == "m5" else 1.0

    [case] = explained(truth, monkeypatch, ("bcast", 8), one_way=frozenset("C")).cases
    assert case.verdict == "one-direction"
    assert case.in_words(5).startswith("explained to 90 % [85; 95] by C: 1 → 0, in the new library only")


def test_a_switch_of_the_new_library_is_tried_where_settings_explain_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def truth(_: Case, stack: str, names: frozenset[str]) -> float | None:
        return (0.9 if "T" in names else 0.0) if stack == "m5" else 1.0

    on = [
        ChangedSetting(setting=name, variable=f"X_{name}", old="0", new="1", only_new=True) for name in ("S", "T", "U")
    ]
    found = explained(truth, monkeypatch, ("bcast", 8), switches=on)
    [case] = found.cases
    assert case.in_words(5) == "explained to 90 % [85; 95] by T=1, which only the new library has"
    assert set_back(case.causes) == {"X_T": "0"}
    assert [step.settings for step in case.steps][:2] == [["A", "B", "C", "D", "E"], ["S", "T", "U"]]
    assert "1 only the new one, 3 of them switches that are on" in found.lines[0]


def test_what_fresh_blocks_do_not_confirm_is_not_claimed(monkeypatch: pytest.MonkeyPatch) -> None:
    alone = 0

    def truth(_: Case, stack: str, names: frozenset[str]) -> float | None:
        nonlocal alone
        alone += names == {"A"} and stack == "m5"
        return 0.0 if "A" not in names or alone > 1 else 0.8  # by itself, and in the end

    [case] = explained(truth, monkeypatch, ("bcast", 8)).cases
    assert case.verdict == "not-confirmed"
    assert case.in_words(5) == "not explained: fresh blocks do not confirm A: 1 → 0"


def test_an_algorithm_that_gives_a_loss_back_is_named_with_its_costs(monkeypatch: pytest.MonkeyPatch) -> None:
    choices = [ChangedSetting(setting="ALG", variable=f"X_{word}", old="auto", new=word) for word in ("P", "Q", "R")]
    shares = {"P": 0.3, "Q": 0.9, "R": -1.0}

    def truth(_: Case, stack: str, names: frozenset[str]) -> float | None:
        return max((share for word, share in shares.items() if word in names), default=0.0)

    [case] = explained(truth, monkeypatch, ("bcast", 8), algorithms={"bcast": choices}).cases
    assert case.verdict == "no-setting"
    assert case.remedy is not None
    assert case.remedy.settings == {"X_Q": "Q"}
    assert case.in_words(5).endswith("; X_Q=Q gives back 90 % [85; 95], but slower with it: bcast 4096 B (2 times)")


def test_the_steps_of_the_search_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    def truth(_: Case, stack: str, names: frozenset[str]) -> float | None:
        given = 1.0 if "B" in names else 0.0
        return given if stack == "m5" else 1 - given

    [case] = explained(truth, monkeypatch, ("bcast", 8)).cases
    assert [one.setting for one in case.causes] == ["B"]
    assert [step.settings for step in case.steps] == [list("ABCDE"), list("ABCDE"), *map(list, "ABCDE")]
    assert all(step.effect.share == float("B" in step.settings) for step in case.steps)


def test_what_is_explained_needs_no_algorithm(monkeypatch: pytest.MonkeyPatch) -> None:
    def truth(_: Case, stack: str, names: frozenset[str]) -> float | None:
        given = 1.0 if names & {"B", "P"} else 0.0
        return given if stack == "m5" else 1 - given

    choices = [ChangedSetting(setting="ALG", variable="X_P", old="auto", new="P")]
    [case] = explained(truth, monkeypatch, ("bcast", 8), algorithms={"bcast": choices}).cases
    assert (case.verdict, case.remedy) == ("explained", None)


@pytest.mark.parametrize(
    ("affordable", "verdict", "words"),
    [
        (1, "unfinished", "for lack of minutes: all 5 settings that differ explain 90 % [85; 95] of it"),
        (2, "unfinished", "for lack of minutes: all 5 settings that differ explain 90 % [85; 95] of it"),
        (4, "explained", "explained to 90 % [85; 95] by B"),
    ],
)
def test_what_the_minutes_permit_is_told(
    affordable: int, verdict: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def truth(_: Case, stack: str, names: frozenset[str]) -> float | None:
        given = 0.9 if "B" in names else 0.0
        return given if stack == "m5" else 1 - given

    found = explained(truth, monkeypatch, ("bcast", 8), affordable=affordable)
    assert found.cases[0].verdict == verdict and words in found.cases[0].in_words(5)
    assert found.experiments <= affordable


def test_without_minutes_nothing_is_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(OutOfMinutesError):
        explained(lambda *_: 0.9, monkeypatch, ("bcast", 8), affordable=0)


def test_a_stack_that_is_no_longer_installed_is_built_by_an_experiment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MANIFESTS["m4"], "cc", "/nowhere/mpicc")
    found = explained(lambda *_: 0.0, monkeypatch, ("bcast", 8))
    assert (found.experiments, found.cases[0].verdict) == (2, "no-setting")


def test_algorithms_that_were_not_tried_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    choices = {"bcast": [ChangedSetting(setting="ALG", variable="X_P", old="auto", new="P")]}
    found = explained(lambda *_: 0.0, monkeypatch, ("bcast", 8), algorithms=choices, affordable=1)
    assert found.cases[0].verdict == "no-setting" and found.cases[0].remedy is None
    assert "  algorithms that may give losses back: not tried for lack of minutes" in found.lines


def test_a_difference_that_is_gone_in_fresh_blocks_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    found = explained(lambda *_: None, monkeypatch, ("bcast", 8))
    assert found.cases[0].verdict == "not-shown"
    assert found.experiments == 1


def test_documents_of_an_explanation_are_read_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = explained(lambda *_: 0.0, monkeypatch, ("bcast", 8))
    path = tmp_path / "x.json"
    found.save(path)
    assert Explanation.load(path) == found
    assert json.loads(path.read_text())["refused"] == {"F": "2: it stays 0"}
