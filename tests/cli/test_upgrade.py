# SPDX-License-Identifier: BSD-3-Clause
"""`isochron upgrade`: what it plans, what it refuses, and what it says of both stages; nothing is measured here."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import pytest

from isochron.cli.main import main
from isochron.common.files import FileError
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.screening import ScreenedCase, Screening
from isochron.schemas.run.state import RunState
from isochron.workflows.driving.measured import UnfinishedError
from isochron.workflows.planning.estimate import START_S
from isochron.workflows.upgrade import selection
from isochron.workflows.upgrade import upgrade as module
from isochron.workflows.upgrade.stages import CASES, FOLLOWED, MORE, SCREENED, Versions
from isochron.workflows.upgrade.upgrade import Upgrade

VERSIONS = ["mpich@4.3.2", "mpich@5.0.2"]
VERSIONS_OF = Versions(VERSIONS, {"processes": [2], "processes_per_node": [2]})


@pytest.fixture(autouse=True)
def _package_index(monkeypatch: pytest.MonkeyPatch) -> None:
    """All versions can be had; the package index is not asked."""
    monkeypatch.setattr("isochron.cli.campaign.locks_of", lambda _: {})


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["mpich@5.0.2", "mpich@5.0.2"], "both versions are mpich@5.0.2; to compare it with itself write a=… b=…"),
        ([*VERSIONS, "--minutes", "0"], "--minutes 0: give a number above 0"),
        ([*VERSIONS, "--minutes", "0.5"], "--minutes 0.5: the first stage alone takes"),
        ([*VERSIONS, "--like", "demo", "--processes", "4"], "--processes: not with --like"),
        (["mpich@4.3.2", "mpich-5"], "unknown stack 'mpich-5', did you mean 'mpich-5.0'?"),
        ([*VERSIONS, "--processes", "1"], "--processes 1: give 2 or more"),
        ([*VERSIONS, "--processes", "100000000"], "upgrade: "),
    ],
)
def test_wrong_words_are_refused(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["upgrade", *words, "--dry-run"]) == 2
    printed = capsys.readouterr()
    assert message in printed.err and not printed.out


def test_a_dry_run_prints_both_stages(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["upgrade", *VERSIONS, "--dry-run", "--results", str(tmp_path)]) == 0
    printed = capsys.readouterr().out
    assert f"{len(SCREENED)}" in printed and f"{CASES}" in printed and "then 24 fresh blocks" in printed
    assert not list(tmp_path.iterdir())


def test_a_dry_run_refuses_a_version_that_cannot_be_had(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def locks_of(campaign: Campaign) -> dict[str, str]:
        raise FileError(f"stack {campaign.declared(campaign.stacks[1])}: there are 4.0.3, 5.0.2")

    monkeypatch.setattr("isochron.cli.campaign.locks_of", locks_of)
    for words in (["-n"], []):
        assert main(["upgrade", "mpich@4.3.2", "mpich@9.9", *words, "--results", str(tmp_path)]) == 1
        assert "cannot be measured here: stack mpich@9.9: there are 4.0.3, 5.0.2" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_more_minutes_are_more_blocks(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    def blocks(minutes: str) -> int:
        main(["upgrade", *VERSIONS, "-n", "--minutes", minutes, "--results", str(tmp_path)])
        return int(capsys.readouterr().out.splitlines()[1].split()[2])

    assert 3 <= blocks("12") < blocks("200") == 8


def test_what_was_measured_does_not_change_the_plan(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Else a call that goes on after the first stage would measure that again."""
    words = ["upgrade", *VERSIONS, "-n", "--results", str(tmp_path)]
    main(words)
    before = capsys.readouterr().out
    monkeypatch.setattr(module, "earlier_durations", lambda *_: pytest.fail("durations of earlier runs were read"))
    main(words)
    assert capsys.readouterr().out == before


class Measured:
    """What the stages would measure: `bcast` is slower at one size, `scan` faster, nothing else differs."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, folder: Path, affordable: float = 10.0) -> None:
        self.folder = folder
        self.wrong: dict[str, list[str]] = {}
        self.followed: dict[str, list[str]] = {}
        monkeypatch.setattr(Upgrade, "_measured", self._measure)
        monkeypatch.setattr(Upgrade, "_affordable", lambda *_: affordable)
        monkeypatch.setattr(module, "screened_ratios", self._ratios)

    def _measure(self, results: Path, campaign: Campaign, _: object, screening: Screening | None = None) -> RunLayout:
        assert (results.name == module.FOLDER) == (screening is None)
        run = RunLayout(self.folder / campaign.name / "1")
        run.root.mkdir(parents=True)
        if screening is not None:
            screening.save(run.screening)
            self.followed[campaign.name] = campaign.operations
            self._write(run, campaign)
        return run

    def _write(self, run: RunLayout, campaign: Campaign) -> None:
        """The columns of comparison.csv that are read."""
        run.tables.mkdir()
        with (run.tables / "comparison.csv").open("w") as file:
            names = ["operation", "bytes", "family", "verdict", "ratio", "ratio_low", "ratio_high", "reason"]
            table = csv.writer(file)
            table.writerow(names)
            for operation in campaign.operations:
                for size in campaign.sizes:
                    verdict = {"bcast": "slower", "scan": "faster"}.get(operation, "equivalent")
                    ratio = {"slower": 1.5, "faster": 0.5}.get(verdict, 1.0) if size > 8 else 1.0
                    reason = f"in the quiet regime; {ratio} in the disturbed one" if size == 64 else ""
                    table.writerow(
                        [
                            *(operation, size, "question", verdict if size > 8 else ""),
                            *(ratio, 0.9 * ratio, 1.1 * ratio, reason),
                        ]
                    )

    def no_ratios(self, *_: object) -> tuple[list[dict[str, Any]], dict[str, list[str]]]:
        """No launch of one of the two versions was accepted."""
        return [], {}

    def _ratios(self, run: RunLayout, old: str, new: str) -> tuple[list[dict[str, Any]], dict[str, list[str]]]:
        assert (old, new) == ("mpich-4.3.2", "mpich-5.0.2")
        assert run.root.parent.name == "screen-mpich-4.3.2-mpich-5.0.2"
        ratios = {"bcast": 1.5, "gather": 1.0, "scan": 0.5}
        rows = [
            {"operation": name, "bytes": 64, "ratio": ratio, "low": ratio * 0.9, "high": ratio * 1.1,
             "p_value": 0.9 if ratio == 1 else 1e-6, "seconds": 1.0, "unverified_seconds": 1.0}
            for name, ratio in ratios.items()
        ]  # fmt: skip
        return rows, self.wrong


def test_an_operation_with_wrong_data_is_named_and_not_followed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A version that delivers nothing is fast."""
    measured = Measured(monkeypatch, tmp_path)
    measured.wrong = {"mpich-4.3.2": ["bcast"]}
    assert main(["upgrade", *VERSIONS, "--quiet"]) == 0
    assert list(measured.followed.values()) == [["scan"]]
    printed = capsys.readouterr().out
    assert "Wrong data, and therefore not compared: bcast with mpich-4.3.2." in printed
    assert "of 1 that were measured again; 2 were screened" in printed


def test_an_operation_that_ends_the_program_is_left_out(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Everything else is measured again, and the operation is named."""
    measured, ended = Measured(monkeypatch, tmp_path), [{"mpich-5.0.2": ["scan"]}, {}]
    screened: list[list[str]] = []

    def ended_in(run: RunLayout) -> dict[str, list[str]]:
        return ended.pop(0)

    def measure(*words: Any) -> RunLayout:
        if len(words) == 3:
            screened.append(words[1].operations)
            return RunLayout(tmp_path / words[1].name / "1")
        return measured._measure(*words)

    monkeypatch.setattr(module, "ended_in", ended_in)
    monkeypatch.setattr(Upgrade, "_measured", lambda _, *words: measure(*words))
    assert main(["upgrade", *VERSIONS]) == 0
    assert [len(SCREENED), len(SCREENED) - 1] == [len(operations) for operations in screened]
    assert "scan" not in screened[1]
    printed = " ".join(capsys.readouterr().out.split())
    assert "mpich-5.0.2 ends the program in scan: everything else is screened" in printed
    assert "mpich-5.0.2 ends the program in scan; mpich-4.3.2 was not seen to." in printed


def test_a_run_that_fails_where_programs_end_is_measured_without_that(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A run that is interrupted, or fails otherwise, ends the upgrade."""
    measured, runs = Measured(monkeypatch, tmp_path), iter(range(9))
    state = RunState.model_construct(state="failed", reason="why")

    def measure(*words: Any) -> RunLayout:
        if next(runs) == 0:
            raise UnfinishedError(state, ["signal 11"])
        return measured._measure(*words)

    monkeypatch.setattr(module, "run_to_continue", lambda *_: RunLayout(tmp_path))
    monkeypatch.setattr(module, "ended_in", lambda run: {"mpich-5.0.2": ["scan"]} if run.root == tmp_path else {})
    monkeypatch.setattr(Upgrade, "_measured", lambda _, *words: measure(*words))
    assert main(["upgrade", *VERSIONS, "--quiet", "--new"]) == 0
    assert len(measured.followed) == 1
    runs, state = iter(range(9)), state.model_copy(update={"state": "interrupted"})
    assert main(["upgrade", *VERSIONS, "--quiet", "--new"]) == 130


def test_programs_that_end_everywhere_end_the_upgrade(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Measured(monkeypatch, tmp_path)
    operations = iter(SCREENED)
    monkeypatch.setattr(Upgrade, "_measured", lambda *_: RunLayout(tmp_path))
    monkeypatch.setattr(module, "ended_in", lambda _: {"mpich-5.0.2": [next(operations)]})
    assert main(["upgrade", *VERSIONS, "--quiet"]) == 2
    assert "the cause is not in these operations" in capsys.readouterr().err
    assert len(list(operations)) == len(SCREENED) - module.MOST_ENDED - 1


def test_without_results_of_both_versions_an_upgrade_fails(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Else it would say that nothing is slower."""
    measured = Measured(monkeypatch, tmp_path)
    monkeypatch.setattr(module, "screened_ratios", measured.no_ratios)
    assert main(["upgrade", *VERSIONS, "--quiet"]) == 2
    printed = capsys.readouterr()
    assert "no block has results of both mpich-4.3.2 and mpich-5.0.2" in printed.err and not printed.out
    assert not measured.followed


def test_what_seems_to_have_changed_is_measured_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    measured = Measured(monkeypatch, tmp_path)
    assert main(["upgrade", *VERSIONS, "--quiet"]) == 0
    name = "upgrade-mpich-4.3.2-mpich-5.0.2"
    assert measured.followed == {name: ["bcast", "scan"]}
    printed = capsys.readouterr().out
    assert "11 cases slower and 11 faster, of 2 that were measured again; 3 were screened" in printed
    assert "2 of these 22: in the quiet regime\n" in printed
    assert "1.5 [1.35; 1.65] at 64 B" in printed and "at most 5 %" in printed and "lack of minutes" not in printed
    run = RunLayout(tmp_path / name / "1")
    assert str(run.report) in printed and f"isochron explain {name}" in printed
    screening = Screening.load(run.screening)
    assert [case.operation for case in screening.followed] == ["bcast", "scan"] and len(screening.cases) == 3


def test_what_was_left_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(selection, "FEWEST", 0)
    measured = Measured(monkeypatch, tmp_path, affordable=1)
    assert main(["upgrade", *VERSIONS, "--quiet"]) == 0
    assert list(measured.followed.values()) == [["bcast"]]
    assert "though they seem to have changed: scan" in capsys.readouterr().out


@pytest.mark.parametrize(("state", "code"), [("interrupted", 130), ("failed", 1), ("over-budget", 4)])
def test_a_stage_that_did_not_end(
    state: Any, code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object, **__: object) -> RunLayout:
        raise UnfinishedError(RunState.model_construct(state=state, reason="why"), ["a node is down"])

    monkeypatch.setattr(Upgrade, "_measured", fail)
    assert main(["upgrade", *VERSIONS, "--quiet"]) == code
    printed = capsys.readouterr()
    assert ("the same command continues" in printed.out) == (state == "interrupted")
    assert ("a node is down" in printed.err) == (state != "interrupted")


def test_the_differences_are_explained(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What the stages leave of their third is for the reasons."""
    Measured(monkeypatch, tmp_path)
    monkeypatch.setattr("isochron.cli.upgrade.asked_of", lambda run, *_, **__: [run.root.parent.name])
    explained = []

    def explain(asked: list[str], _: object, *, minutes: float) -> int:
        explained.append((*asked, 15 < minutes <= 20))
        return 1

    monkeypatch.setattr("isochron.cli.upgrade.explain_runs", explain)
    assert main(["upgrade", *VERSIONS, "--quiet", "--explain"]) == 1
    assert explained == [("upgrade-mpich-4.3.2-mpich-5.0.2", True)]


def test_the_minutes_of_the_stages_are_those_that_they_have(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """With reasons and advice a third of them, which the message takes into account."""
    words = ["upgrade", *VERSIONS, "-n", "--results", str(tmp_path)]
    assert main([*words, "--explain", "--minutes", "12"]) == 2
    message = capsys.readouterr().err
    assert "has 13 % of the minutes" in message
    enough = message.rpartition("give ")[2].split()[0]
    assert main([*words, "--explain", "--minutes", enough]) == 0
    assert main([*words, "--minutes", "12"]) == 0


def upgrade_of(minutes: float, beside: Sequence[str], **fields: Any) -> Upgrade:
    versions = Versions(VERSIONS_OF.stacks, VERSIONS_OF.site, beside)
    return Upgrade(versions, Path(), minutes, cast(Any, None), quiet=True, **fields)


def test_both_stages_take_the_minutes() -> None:
    for minutes, blocks, beside in ((10.0, 3, ()), (20.0, 3, ("another",)), (20.0, 8, ())):
        upgrade = upgrade_of(minutes, beside)
        start, turns = 2 * START_S, 20.0
        for whole in (1.0, 1.2):
            followed = upgrade._affordable(blocks, start + whole * turns, turns) * whole
            second = FOLLOWED * ((2 + len(beside)) * START_S + MORE * followed)
            assert blocks * (start + whole * turns) + second == pytest.approx(60 * minutes)


def test_an_operation_costs_what_all_stacks_take() -> None:
    """Those beside as much as the others; the first one, which is slow where it loses, as much as is known of it."""
    case = {"ratio": 1.0, "low": 0.9, "high": 1.1, "p_value": 1.0, "seconds": 1.0, "unverified_seconds": 1.0}
    cases = [
        ScreenedCase(operation=name, bytes=size, **case) for name, size in (("scan", 8), ("scan", 64), ("bcast", 8))
    ]
    known = {"scan": 11.0, "bcast": 0.5}
    assert upgrade_of(10, (), known=known)._costs(cases) == {"scan": 2.0, "bcast": 1.0}
    assert upgrade_of(10, ("new",), known=known)._costs(cases) == {"scan": 2.0 + 10.0, "bcast": 1.5}
    assert upgrade_of(10, ("new", "alone"), known=known)._costs(cases) == {"scan": 3.0 + 10.0, "bcast": 2.0}
