# SPDX-License-Identifier: BSD-3-Clause
"""Which settings are tried: from what explanations say of each case."""

from __future__ import annotations

from isochron.schemas.run.explanation import ChangedSetting, Effect, ExplainedCase, Explanation, Remedy, Verdict
from isochron.workflows.advice.choice import MOST, choose_settings

SHARE = Effect(share=0.9, low=0.8, high=1.0)


def setting(name: str, old: str = "1") -> ChangedSetting:
    return ChangedSetting(setting=name, variable=f"X_{name}", old=old, new="0")


def case(
    size: int, *causes: ChangedSetting, ratio: float = 1.5, verdict: Verdict = "explained", remedy: Remedy | None = None
) -> ExplainedCase:
    return ExplainedCase(
        operation="bcast", bytes=size, ratio=ratio, verdict=verdict, causes=list(causes), forward=SHARE, remedy=remedy
    )


def explanation(*cases: ExplainedCase) -> Explanation:
    return Explanation(
        old="m4", new="m5", old_library="a", new_library="b", processes=2, processes_per_node=2, placement="packed",
        tried=[], refused={}, only_old=[], only_new=[], cases=list(cases), blocks=12, experiments=1, launches=1,
    )  # fmt: skip


def test_causes_of_losses_are_tried_those_of_most_cases_first() -> None:
    a, b = setting("A"), setting("B")
    choice = choose_settings(explanation(case(8, a), case(64, b), case(256, b), case(1024, a, ratio=0.5)))
    assert [(one.variables, one.cases) for one in choice.settings] == [
        ({"X_B": "1"}, ["bcast 64 B", "bcast 256 B"]),
        ({"X_A": "1"}, ["bcast 8 B"]),
    ]
    assert choice.left_out == []


def test_what_was_not_confirmed_or_costs_something_is_named() -> None:
    costly = Remedy(settings={"NEED": "1", "X_ALG": "ring"}, share=SHARE, costs=["bcast 8 B (1.2 times)"])
    free = Remedy(settings={"NEED": "1", "X_ALG": "tree"}, share=SHARE, costs=[])
    choice = choose_settings(
        explanation(
            case(8, setting("A"), verdict="not-confirmed"),
            case(64, verdict="no-setting", remedy=costly),
            case(256, verdict="no-setting", remedy=free),
        )
    )
    assert [(one.variables, one.cases) for one in choice.settings] == [
        ({"NEED": "1", "X_ALG": "tree"}, ["bcast 256 B"])
    ]
    assert list(map(str, choice.left_out)) == [
        "X_A=1: fresh blocks do not confirm that it explains bcast 8 B",
        "NEED=1 X_ALG=ring: slower with it: bcast 8 B (1.2 times)",
    ]


def test_of_two_values_the_one_of_more_cases_is_tried() -> None:
    choice = choose_settings(explanation(case(8, setting("A", "7")), case(64, setting("A")), case(256, setting("A"))))
    assert [one.variables for one in choice.settings] == [{"X_A": "1"}]
    assert list(map(str, choice.left_out)) == ["X_A=7: X_A=1 explains more cases"]


def test_few_are_tried_together() -> None:
    choice = choose_settings(explanation(*(case(size, setting(f"S{size}")) for size in range(MOST + 2))))
    assert len(choice.settings) == MOST and len(choice.left_out) == 2
