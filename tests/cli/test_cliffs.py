# SPDX-License-Identifier: BSD-3-Clause
"""`isochron cliffs`: what it refuses and prints."""

from __future__ import annotations

import json
from math import log
from typing import Any

import pytest

from isochron.cli.main import main
from isochron.workflows.cliffs.experiments import Curve
from isochron.workflows.cliffs.search import Cliff, Level

SEARCH = ["cliffs", "demo", "--operation", "alltoall"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["cliffs", "demo", "--operation", "all", "--sizes", "8:64"], "--operation all: unknown"),
        (["cliffs", "demo", "--operation", "barrier", "--sizes", "8:64"], "barrier has no size; give --processes"),
        ([*SEARCH, "--sizes", "64"], "--sizes 64: give LOW:HIGH"),
        ([*SEARCH, "--sizes", "64:100"], "the second at least twice the first"),
        ([*SEARCH, "--sizes", "64:1K"], "'1K' is not a size; write 1KiB"),
        ([*SEARCH, "--sizes", "8:64", "--size", "8"], "--size: not with --sizes"),
        ([*SEARCH, "--sizes", "8:64", "--stack", "mpich-5"], "--stack mpich-5: not a stack of the campaign"),
        ([*SEARCH, "--block-lengths", "8:64"], "--block-lengths 8:64: give --size, at least 512 B"),
        ([*SEARCH, "--block-lengths", "8:64", "--size", "511"], "at least 512 B, which is 8 blocks of the longest"),
        (["cliffs", "demo", "--operation", "allreduce", "--block-lengths", "8:64", "--size", "4KiB"],
         "allreduce has no derived datatype"),
        ([*SEARCH, "--sizes", "8:64", "--jump", "0"], "--jump 0: give a share above 0"),
        ([*SEARCH, "--sizes", "8:64", "--points", "7"], "--points 7: give at least 8"),
        ([*SEARCH, "--sizes", "8:64", "--blocks", "2"], "--blocks 2: give at least 3"),
    ],
)  # fmt: skip
def test_wrong_words_are_refused(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    assert message in capsys.readouterr().err


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> list[Cliff]:
    """The cliffs that a search finds, which a test may change."""
    cliffs = [Cliff(127, 128, log(1.8), 0.05)]

    def search(curve: Curve, *limits: Any) -> list[Cliff]:
        assert (curve.stack, curve.axis, curve.at, curve.blocks, limits) == (
            "openmpi-4.1", "processes", 8, 6, (16, 1024, 0.2, 20),
        )  # fmt: skip
        curve.points = {point: Level(0, 0) for point in range(13)}
        return cliffs

    monkeypatch.setattr(Curve, "cliffs", search)
    return cliffs


def test_cliffs_are_sentences_or_rows(found: list[Cliff], capsys: pytest.CaptureFixture[str]) -> None:
    words = [*SEARCH, "--processes", "16:1024"]
    assert main(words) == 0
    assert capsys.readouterr().out.splitlines() == [
        "openmpi-4.1, alltoall: from 127 to 128 processes it takes 1.8 [1.71; 1.89] times as long",
        "13 points measured",
    ]
    assert main([*words, "--format", "json"]) == 0
    [row] = json.loads(capsys.readouterr().out)
    assert (row["from"], row["to"], row["times"]) == (127, 128, 1.8)
    found.clear()
    assert main(words) == 0
    assert "no jump of 20 % or more found between 16 and 1024 processes" in capsys.readouterr().out
