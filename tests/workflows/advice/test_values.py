# SPDX-License-Identifier: BSD-3-Clause
"""Sizes in the place of a setting that harms others: played by a library that copies small messages in another way."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from isochron.schemas.run.explanation import ChangedSetting, Effect, ExplainedCase, Explanation
from isochron.workflows.advice import values as module
from isochron.workflows.advice.choice import Choice, choose_settings
from isochron.workflows.advice.values import Outcome, find_values, outcome, sizes_beside, sizes_between
from isochron.workflows.explanation.experiments import Case, Experiments, OutOfMinutesError, Setup
from isochron.workflows.explanation.library_settings import LibrarySettings, Setting

ONE_COPY = ChangedSetting(setting="LIB_CH_COPY_ENABLE", variable="X_LIB_CH_COPY_ENABLE", old="0", new="1")
THRESHOLD = "LIB_CH_IPC_COPY_THRESHOLD"
SIZES = [64, 1024, 4096, 16384, 65536, 262144, 1048576]


def setting(name: str, meaning: str = "Size in bytes.", kind: Any = "integer", constant: bool = False) -> Setting:
    return Setting(name=name, kind=kind, value="1", constant=constant, choices=[], meaning=meaning)


SETTINGS = {
    one.name: one
    for one in [
        *(setting(f"LIB_CH_OTHER_{number}") for number in range(12)),
        setting(THRESHOLD),
        setting("LIB_CH_COPY_MODE", "The way to copy."),
        setting("LIB_CH_COPY_FIXED_SIZE", constant=True),
        setting("LIB_CH_COPY_PLACE", "A file of so many bytes.", kind="text"),
        setting("LIB_CH_COPY_ENABLE", "Enables one copy."),
    ]
}


def test_sizes_that_share_a_rare_word_with_a_cause_belong_to_it() -> None:
    assert sizes_beside(ONE_COPY, SETTINGS) == [THRESHOLD]
    assert sizes_beside(ONE_COPY.model_copy(update={"setting": "LIB_CH_OTHER_1"}), SETTINGS) == []
    assert sizes_beside(ONE_COPY.model_copy(update={"setting": "COPY"}), SETTINGS) == []


def shown(helped: Iterable[int], harmed: Iterable[int]) -> Outcome:
    return Outcome(SIZES, [("bcast", size) for size in harmed], [("bcast", size) for size in helped])


@pytest.mark.parametrize(
    ("helped", "harmed", "sizes"),
    [
        ([64, 1024], [4096, 65536], [1024, 4096]),
        ([64], [16384], [1024, 4096, 16384]),
        ([64], [262144], [1024, 65536, 262144]),
        ([64, 4096], [1024], [64, 1024, 16384]),
        ([1048576], [64], [64]),
        ([], [64], [64]),
    ],
)
def test_the_sizes_tried_lie_between_those_that_are_helped_and_those_that_are_harmed(
    helped: list[int], harmed: list[int], sizes: list[int]
) -> None:
    assert sizes_between(shown(helped, harmed)) == sizes


class Library:
    """Old and new versions of a library, of which one copy is worth while from 20,000 bytes on.

    The old one never makes one copy, and is a third slower with large messages than the new one without it; the new one
    does from 1,024 bytes on.
    """

    def __init__(self, *, budget: int = 2) -> None:
        self.old, self.new, self.budget = "m4", "m5", budget
        self.readers = Path("readers")
        typed = [("bcast@vector-8", size) for size in SIZES]
        self.campaign = SimpleNamespace(chosen=[("bcast", size) for size in SIZES] + typed + [("gather", 64)])
        self.operations: set[str] = set()
        self.rows: list[dict[str, Any]] = []
        self.asked: list[list[Mapping[str, str]]] = []

    def manifest(self, stack: str) -> str:
        return stack

    def time(self, size: int, variables: Mapping[str, str]) -> float:
        threshold = int(variables.get(f"X_{THRESHOLD}", 1024))
        one_copy = variables.get(ONE_COPY.variable, "1") == "1" and size >= threshold
        return 1.0 if one_copy == (size >= 20000) else 2.0

    def measure(self, setups: Mapping[str, Setup], cases: Iterable[Case]) -> None:
        if len(self.asked) == self.budget:
            raise OutOfMinutesError
        self.asked.append([variables for _, variables in setups.values()])
        self.rows = []
        for operation, size in cases:
            self.operations.add(operation)
            new = self.time(size, {})
            times = {"m4": 1.0 if size < 20000 else 1.5}
            times |= {name: self.time(size, variables) for name, (_, variables) in setups.items()}
            for variant, time in times.items():
                ratio = new / time
                self.rows.append(
                    {
                        "operation": operation, "bytes": size, "variant": variant, "ratio": ratio,
                        "ratio_low": 0.99 * ratio, "ratio_high": 1.01 * ratio,
                    }
                )  # fmt: skip


def explanation(*sizes: int, operations: Iterable[str] = ("bcast",)) -> Explanation:
    effect = Effect(share=0.9, low=0.8, high=1.0)
    return Explanation(
        old="m4", new="m5", old_library="a", new_library="b", processes=2, processes_per_node=2, placement="packed",
        tried=[ONE_COPY], refused={}, only_old=[], only_new=[], blocks=12, experiments=1, launches=1,
        cases=[
            ExplainedCase(
                operation=name, bytes=size, ratio=2.0, verdict="explained", causes=[ONE_COPY], forward=effect
            )
            for size in sizes
            for name in operations
        ],
    )  # fmt: skip


def tried(
    library: Library,
    monkeypatch: pytest.MonkeyPatch,
    settings: Mapping[str, Setting],
    refused: str = "",
    operations: Iterable[str] = ("bcast",),
) -> tuple[Choice, list[str]]:
    reader = SimpleNamespace(reader=Path("r"), problem=lambda *_: refused)
    monkeypatch.setattr(module, "Library", lambda *_: reader)
    monkeypatch.setattr(module, "build_reader", lambda *_: Path("r"))
    monkeypatch.setattr(module, "read_settings", lambda *_: LibrarySettings("b", dict(settings)))
    losses = explanation(1024, 4096, operations=operations)
    choice, said = choose_settings(losses), []
    find_values(choice, losses, cast(Experiments, library), said.append)
    return choice, said


def test_a_size_takes_the_place_of_a_setting_that_harms_large_messages(monkeypatch: pytest.MonkeyPatch) -> None:
    library = Library()
    choice, said = tried(library, monkeypatch, SETTINGS)
    assert library.asked[0] == [{ONE_COPY.variable: "0"}]
    assert library.asked[1] == [{f"X_{THRESHOLD}": size} for size in ("16384", "65536")]
    [setting] = choice.settings
    assert setting.variables == {f"X_{THRESHOLD}": "65536"}
    assert setting.cases == ["bcast 1024 B", "bcast 4096 B"]
    [left] = choice.left_out
    assert left.variables == {ONE_COPY.variable: "0"}
    assert left.reason == (
        f"slower with it: bcast 65536 B, bcast 262144 B, bcast 1048576 B; X_{THRESHOLD}=65536 instead"
    )
    assert said == [f"left out: {left}"]


def test_a_setting_stays_if_no_size_belongs_to_it_or_none_can_be_set(monkeypatch: pytest.MonkeyPatch) -> None:
    without = {name: one for name, one in SETTINGS.items() if name != THRESHOLD}
    for settings, refused, experiments in ((without, "", 0), (SETTINGS, "it stays 1", 1)):
        library = Library()
        choice, said = tried(library, monkeypatch, settings, refused)
        assert [one.variables for one in choice.settings] == [{ONE_COPY.variable: "0"}]
        assert (len(library.asked), choice.left_out, said) == (experiments, [], [])


@pytest.mark.parametrize(
    ("losing", "measured"),
    [(["bcast@vector-8", "bcast"], {"bcast"}), (["bcast@vector-8"], {"bcast@vector-8", "bcast"})],
)
def test_a_datatype_is_measured_only_if_contiguous_data_do_not_lose(
    losing: list[str], measured: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    library = Library()
    choice, _ = tried(library, monkeypatch, SETTINGS, operations=losing)
    assert library.operations == measured
    assert [one.variables for one in choice.settings] == [{f"X_{THRESHOLD}": "65536"}]


def test_a_setting_stays_if_it_harms_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    library = Library()
    monkeypatch.setattr(library, "time", lambda _, variables: 1.0 if variables else 2.0)
    choice, _ = tried(library, monkeypatch, SETTINGS)
    assert [one.variables for one in choice.settings] == [{ONE_COPY.variable: "0"}]
    assert len(library.asked) == 1


def test_without_minutes_for_sizes_a_setting_stays_and_a_line_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    choice, said = tried(Library(budget=1), monkeypatch, SETTINGS)
    assert [one.variables for one in choice.settings] == [{ONE_COPY.variable: "0"}]
    assert said == [f"not tried for lack of minutes: sizes instead of {ONE_COPY.variable}=0: {THRESHOLD}"]


def test_a_case_is_harmed_if_it_is_slower_than_with_both_versions() -> None:
    def rows(size: int, old: float, variant: float) -> list[dict[str, Any]]:
        case = {"operation": "bcast", "bytes": size}
        ratios = {"m4": old, "v": variant}.items()
        return [{**case, "variant": name, "ratio": one, "ratio_low": one, "ratio_high": one} for name, one in ratios]

    # new over old, new over variant: a gain that is given up, a harm, a loss that is less, one that is not
    result = outcome("v", "m4", [*rows(1, 0.5, 0.6), *rows(2, 1.0, 0.5), *rows(3, 4.0, 2.0), *rows(4, 2.0, 1.0)])
    assert (result.harmed, result.helped, result.sizes) == ([("bcast", 2)], [("bcast", 3)], [1, 2, 3, 4])
