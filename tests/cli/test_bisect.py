# SPDX-License-Identifier: BSD-3-Clause
"""`isochron bisect`: what it refuses and prints; the search itself is tried in tests/workflows/explanation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from isochron.cli.main import main
from isochron.cli.results import bisect as module
from isochron.schemas.run.bisection import BisectedCase, Bisection, Brought
from isochron.schemas.run.explanation import Effect
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.plan import Point
from isochron.workflows.explanation.explain import Difference

POINT = Point(processes=2, processes_per_node=2, placement="packed")


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> RunLayout:
    """A run whose two stacks differ in one case."""
    campaign = type("Campaign", (), {"stacks": ["old", "new"], "declared": staticmethod(lambda stack: stack)})()
    run = RunLayout(tmp_path)
    monkeypatch.setattr(module, "reported_run", lambda *_: run)
    monkeypatch.setattr(module, "load_campaign", lambda _: campaign)
    monkeypatch.setattr(module.Manifest, "load", lambda _: None)
    monkeypatch.setattr(module, "find_differences", lambda *_: [Difference("old", "new", POINT, [("bcast", 8)])])
    monkeypatch.setattr(module, "family_of", lambda _: "mpich")
    monkeypatch.setattr(module, "versions_between", lambda *_: [])
    return run


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--blocks", "3"], "--blocks 3: too few to tell versions apart; give 4 or more"),
        ([], "old → new: no version is between them; name some by --versions"),
        (["--versions", "mpich@4.1.3,prefix:here"], "--versions: must be an absolute path"),
        (["--pair", "old"], "--pair old: give two stacks"),
    ],
)
@pytest.mark.usefixtures("run")
def test_wrong_words_are_refused(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bisect", "demo", *words]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.usefixtures("run")
def test_one_pair_at_a_time(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    pairs = [Difference(old, "new", POINT, []) for old in ("old", "older")]
    monkeypatch.setattr(module, "find_differences", lambda *_: pairs)
    assert main(["bisect", "demo"]) == 2
    assert "choose one by --pair (old,new and older,new)" in capsys.readouterr().err


def test_what_was_found_is_printed_and_kept(
    run: RunLayout, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    brought = Brought(before="mpich@4.0.3", after="mpich@4.1.3", share=Effect(share=0.96, low=0.9, high=1.02))
    cases = [
        BisectedCase(operation="bcast", bytes=8, ratio=1.5, brought=[brought]),
        BisectedCase(operation="scan", bytes=8, ratio=None),
    ]

    def search(difference: Difference, between: list[str], _: Any) -> Bisection:
        return Bisection(
            versions=[difference.old, *between, difference.new], processes=2, processes_per_node=2, placement="packed",
            cases=cases, blocks=6, experiments=3, launches=60,
        )  # fmt: skip

    monkeypatch.setattr(module, "bisect", search)
    words = ["bisect", "demo", "--versions", "mpich@4.0.3, mpich@4.1.3"]
    assert main([*words, "--dry-run"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "versions: old → mpich@4.0.3 → mpich@4.1.3 → new"
    assert not run.bisection.exists()
    assert main(words) == 0
    printed = capsys.readouterr().out
    assert "bcast 8 B: 1.5 times as long; mpich@4.1.3 brings 96 % [90; 102] (after mpich@4.0.3)" in printed
    assert "scan 8 B: fresh blocks do not show a difference" in printed
    assert Bisection.load(run.bisection).cases == cases
