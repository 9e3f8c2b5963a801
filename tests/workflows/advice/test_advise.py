# SPDX-License-Identifier: BSD-3-Clause
"""From explained losses to advice: trials are prepared as campaigns, and played by known verdicts."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console

from isochron.common.files import FileError
from isochron.schemas.run.advice import Advice
from isochron.schemas.run.explanation import ChangedSetting, Effect, ExplainedCase, Explanation, Explanations
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.screening import Screening
from isochron.workflows.advice import advise as module
from isochron.workflows.advice.advise import advise, choice_of, explained_by
from isochron.workflows.advice.judgement import Row
from isochron.workflows.advice.trial import OfCampaign, OfUpgrade, Trial, Trials, names_of
from isochron.workflows.campaign_mistakes import valid_campaign
from isochron.workflows.planning.plan import make_plan
from isochron.workflows.runs import create_run
from isochron.workflows.upgrade.stages import SCREENED, Versions

OLD, NEW = "mpich-4.3.2", "mpich-5.0.2"
SHARE = Effect(share=0.9, low=0.8, high=1.0)
A, B, C = (ChangedSetting(setting=name, variable=f"X_{name}", old="1", new="0") for name in "ABC")


def explanation(*causes: ChangedSetting, operation: str = "alltoall", size: int = 8) -> Explanation:
    return Explanation(
        old=OLD, new=NEW, old_library="a", new_library="b", processes=2, processes_per_node=2, placement="packed",
        tried=[], refused={}, only_old=[], only_new=[], blocks=12, experiments=1, launches=1,
        cases=[
            ExplainedCase(operation=operation, bytes=size, ratio=1.5, verdict="explained", causes=[one], forward=SHARE)
            for one in causes
        ],
    )  # fmt: skip


def write_comparison(run: RunLayout, rows: Iterable[Mapping[str, Any]]) -> None:
    run.tables.mkdir(parents=True, exist_ok=True)
    with (run.tables / "comparison.csv").open("w") as file:
        table = csv.DictWriter(file, list(row("", "", "")))
        table.writeheader()
        table.writerows(rows)


def row(baseline: str, candidate: str, verdict: str, operation: str = "alltoall", **changes: Any) -> dict[str, str]:
    return {
        "operation": operation, "bytes": "8", "processes": "2", "processes_per_node": "2", "placement": "packed",
        "baseline": baseline, "candidate": candidate, "verdict": verdict, "ratio": "1.5", "ratio_low": "1.4",
        "ratio_high": "1.6", "family": "question", **changes,
    }  # fmt: skip


def campaign_run(folder: Path) -> RunLayout:
    """A run of a campaign with a loss in alltoall, explained by two settings."""
    campaign = valid_campaign(
        {
            "schema": 1, "name": "small", "stacks": ["mpich@4.3.2", "mpich@5.0.2"], "sizes": [8, 64],
            "operations": ["alltoall", "bcast"], "processes": [2, 4], "processes_per_node": [2],
            "question": {"baseline": OLD, "candidate": NEW}, "allow_oversubscription": True,
            "engine": {"max_reps": 40},
        },
        "small",
    )  # fmt: skip
    run = create_run(folder, campaign, make_plan(campaign))
    Explanations(pairs=[explanation(A, B)]).save(run.explanation)
    write_comparison(
        run, [row(OLD, NEW, "slower"), row(OLD, NEW, "equivalent", "bcast"), row(OLD, NEW, "slower", processes="4")]
    )
    return run


def upgrade_run(folder: Path, cause: ChangedSetting, operation: str) -> RunLayout:
    """The second stage of an upgrade, with a loss that is explained."""
    site = {"processes": [2], "processes_per_node": [2]}
    campaign = Versions(["mpich@4.3.2", "mpich@5.0.2"], site).following([operation])
    run = create_run(folder, campaign, make_plan(campaign))
    Screening(old=OLD, new=NEW, run="r", blocks=3, threshold=0.05, cases=[]).save(run.screening)
    Explanations(pairs=[explanation(cause, operation=operation)]).save(run.explanation)
    write_comparison(run, [row(OLD, NEW, "slower", operation)])
    return run


def trials(run: RunLayout, pair: tuple[str, str] | None = None) -> Trials:
    return Trials(explained_by(run, pair), 20.0, Console(quiet=True), quiet=True)


def test_a_trial_of_a_campaign(tmp_path: Path) -> None:
    """Both versions, the new one with both settings, and with each alone; all cases, at the explained point."""
    each = trials(campaign_run(tmp_path))
    assert each.explained.lost == [("alltoall", 8)]
    settings = choice_of(each.explained, again=False).settings
    prepared = each.prepare(names_of(each.explained.explanation, settings), settings)
    assert isinstance(prepared, OfCampaign)
    campaign = prepared.campaign
    assert campaign.stacks == [OLD, NEW, f"{NEW}.set", f"{NEW}.set-1", f"{NEW}.set-2"]
    environments = [campaign.variants[name].environment for name in campaign.stacks]
    assert environments == [{}, {}, {"X_A": "1", "X_B": "1"}, {"X_A": "1"}, {"X_B": "1"}]
    assert (campaign.operations, campaign.sizes, campaign.processes) == (["alltoall", "bcast"], [8, 64], [2])
    assert (campaign.question.baseline, campaign.question.candidate) == (OLD, f"{NEW}.set")
    assert campaign.engine.max_reps == 40 and campaign.replication.design == "turns"
    assert len(prepared.plan.blocks) == 24


def test_a_trial_of_an_upgrade_is_over_all_that_it_screens(tmp_path: Path) -> None:
    each = trials(upgrade_run(tmp_path, A, "gather@vector-8"))
    assert each.explained.lost == [("gather@vector-8", 8)]
    settings = choice_of(each.explained, again=False).settings
    assert [(one.variables, one.cases) for one in settings] == [({"X_A": "1"}, ["gather@vector-8 8 B"])]
    prepared = each.prepare(names_of(each.explained.explanation, settings), settings)
    assert isinstance(prepared, OfUpgrade)
    assert prepared.plan == prepared.planned.plan and prepared.planned.campaign.operations == list(SCREENED)
    assert prepared.planned.campaign.stacks == [OLD, f"{NEW}.set"]
    assert prepared.planned.campaign.variants[f"{NEW}.set"].environment == {"X_A": "1"}
    assert prepared.upgrade.always == ["gather@vector-8"]
    following = prepared.upgrade.versions.following(["scan"])
    assert following.stacks == [OLD, f"{NEW}.set", NEW]
    assert (following.question.baseline, following.question.candidate) == (OLD, f"{NEW}.set")


class Played:
    """Trials whose verdicts follow from the settings: B is worse in bcast, A gives alltoall back if `cures`."""

    def __init__(
        self, run: RunLayout, cures: bool = True, fits_another: bool = True, worse_alone: Sequence[str] = ()
    ) -> None:
        self.run, self.cures, self.fits_another, self.worse_alone = run, cures, fits_another, list(worse_alone)
        self.tried: list[list[str]] = []

    def prepare(self, names: Any, settings: Any) -> Any:
        variables = [list(one.variables) for one in settings]
        return SimpleNamespace(measure=lambda: self._measure(names, [each for one in variables for each in one]))

    def _measure(self, names: Any, variables: list[str]) -> Trial:
        self.tried.append(variables)
        sets = {names.together: variables, **{name: [one] for name, one in zip(names.alone, variables, strict=False)}}
        rows = [
            self._row(OLD, names.new, "alltoall", "slower"),
            self._row(OLD, names.new, "bcast", "equivalent"),
        ]
        for name, those_set in sets.items():
            cured = self.cures and "X_A" in those_set
            rows += [self._row(OLD, name, "alltoall", "equivalent" if cured else "slower")]
            for base in (OLD, names.new):
                worse = "X_B" in those_set
                rows += [self._row(base, name, "bcast", "slower" if worse else "equivalent")]
                lonely = those_set == self.worse_alone
                rows += [self._row(base, name, "scan", "slower" if lonely else "equivalent")]
        return Trial(self.run, rows, 7)

    @staticmethod
    def _row(baseline: str, candidate: str, operation: str, verdict: str) -> Row:
        return row(baseline, candidate, verdict, operation)


def advised(
    run: RunLayout,
    monkeypatch: pytest.MonkeyPatch,
    *,
    again: bool = False,
    cures: bool = True,
    fits_another: bool = True,
    worse_alone: Sequence[str] = (),
) -> tuple[Advice, Played, list[str]]:
    """Advise with played trials; the library is not asked."""
    proven: list[Mapping[str, str]] = []
    monkeypatch.setattr(module, "prove", lambda _, variables, *__: proven.append(variables))
    monkeypatch.setattr(module, "Manifest", SimpleNamespace(load=lambda _: None))
    explained, played, said = explained_by(run, None), Played(run, cures, fits_another, worse_alone), []
    choice = choice_of(explained, again)
    prepared = played.prepare(names_of(explained.explanation, choice.settings), choice.settings)
    advice = advise(explained, choice, prepared, played, said.append)  # type: ignore[arg-type]
    assert proven == ([advice.variables] if advice.settings else [])
    assert Advice.load(run.advice) == advice
    return advice, played, said


def test_a_setting_that_is_worse_elsewhere_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = campaign_run(tmp_path)
    advice, played, said = advised(run, monkeypatch)
    assert played.tried == [["X_A", "X_B"], ["X_A"]]
    assert said == ["left out: X_B=1: slower with it: bcast 8 B"]
    assert advice.holds and advice.variables == {"X_A": "1"} and str(advice) == "X_A=1"
    [confirmation] = advice.confirmations
    assert (confirmation.lost, confirmation.measured, confirmation.screened) == (1, 3, 7)
    assert [one.operation for one in confirmation.cured] == ["alltoall"] and not confirmation.slower
    assert confirmation.run == f"small/{run.run_id}"
    assert (run.root / advice.files["shell"]).read_text() == "export X_A=1\n"


@pytest.mark.parametrize("cures", [True, False])
def test_without_minutes_for_another_trial_the_best_of_those_measured_alone_is_advised(
    cures: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = campaign_run(tmp_path)
    Explanations(pairs=[explanation(A, B, C)]).save(run.explanation)
    advice, played, said = advised(run, monkeypatch, cures=cures, fits_another=False)
    assert played.tried == [["X_A", "X_B", "X_C"]]
    assert said[:2] == [
        "left out: X_B=1: slower with it: bcast 8 B",
        "left out: X_C=1: there were no minutes to try it again without others",
    ]
    assert advice.variables == ({"X_A": "1"} if cures else {})
    [confirmation] = advice.confirmations
    assert not confirmation.worse and [one.operation for one in confirmation.cured] == (["alltoall"] if cures else [])
    assert said[2:] == ([] if cures else ["left out: X_A=1: it gives no loss back in fresh blocks"])


def test_without_minutes_for_another_trial_what_is_slower_alone_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = campaign_run(tmp_path)
    Explanations(pairs=[explanation(A, B, C)]).save(run.explanation)
    advice, _, said = advised(run, monkeypatch, fits_another=False, worse_alone=["X_A"])
    assert not advice.settings and said == [
        "left out: X_B=1: slower with it: bcast 8 B",
        "left out: X_A=1: slower with it: scan 8 B",
        "left out: X_C=1: it gives no loss back in fresh blocks",
    ]


def test_settings_that_give_nothing_back_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    advice, _, _ = advised(campaign_run(tmp_path), monkeypatch, cures=False)
    assert not advice.settings and not advice.holds and not advice.files
    assert list(map(str, advice.left_out)) == [
        "X_B=1: slower with it: bcast 8 B", "X_A=1: it gives no loss back in fresh blocks",
    ]  # fmt: skip
    assert [one.operation for one in advice.confirmations[0].slower] == ["alltoall"]


def test_a_second_trial_confirms_what_was_advised(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = campaign_run(tmp_path)
    first, _, _ = advised(run, monkeypatch)
    elsewhere = first.model_copy(
        update={"confirmations": [first.confirmations[0].model_copy(update={"run": "small/another"})]}
    )
    elsewhere.save(run.advice)
    second, played, _ = advised(run, monkeypatch, again=True)
    assert played.tried == [["X_A"]]
    assert [one.run for one in second.confirmations] == ["small/another", f"small/{run.run_id}"]
    assert second.left_out == first.left_out


def test_what_cannot_be_advised_on_is_refused(tmp_path: Path) -> None:
    run = campaign_run(tmp_path)
    with pytest.raises(FileError, match="has nothing on a and b"):
        explained_by(run, ("a", "b"))
    other = explanation(A).model_copy(update={"new": "mpich-4.1"})
    Explanations(pairs=[explanation(A), other]).save(run.explanation)
    with pytest.raises(FileError, match=rf"choose one by --pair \({OLD},{NEW} or {OLD},mpich-4.1\)"):
        explained_by(run, None)
    assert explained_by(run, (OLD, NEW)).explanation == explanation(A)
    run.explanation.unlink()
    with pytest.raises(FileError, match="call `isochron explain"):
        explained_by(run, None)


def test_the_names_of_the_stacks_fit(tmp_path: Path) -> None:
    settings = choice_of(trials(campaign_run(tmp_path)).explained, again=False).settings
    long = explanation(A).model_copy(update={"new": "n" * 64})
    names = names_of(long, settings)
    assert len({names.together, *names.alone, names.new}) == 4
    assert all(len(name) <= 64 for name in (names.together, *names.alone))
