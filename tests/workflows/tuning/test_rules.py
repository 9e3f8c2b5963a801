# SPDX-License-Identifier: BSD-3-Clause
"""From winners to rules, and from a proof to the rules that stay."""

from __future__ import annotations

import pytest

from isochron.schemas.run.explanation import ChangedSetting
from isochron.schemas.run.tuning import Rule, TunedCase, Tuning
from isochron.workflows.explanation.choices import Choices
from isochron.workflows.explanation.library_settings import Setting
from isochron.workflows.tuning.proof import settle
from isochron.workflows.tuning.rules import Case, for_all_sizes, rules_of, without

SIZES = (8, 64, 512, 4096)
CASES: list[Case] = [("bcast", size, count) for count in (2, 4) for size in SIZES]


def choice(word: str, operation: str = "bcast") -> ChangedSetting:
    """An algorithm of an operation."""
    name = f"coll_tuned_{operation}_algorithm"
    return ChangedSetting(setting=name, variable=f"OMPI_MCA_{name}", old="ignore", new=word)


ALGORITHMS = {"bcast": [choice("chain"), choice("tree"), choice("knomial")]}
SETTINGS = {
    "coll_tuned_bcast_algorithm": Setting(
        name="coll_tuned_bcast_algorithm", kind="integer", value="0", constant=False, meaning="",
        choices=["0:ignore", "1:chain", "4:tree", "7:knomial"],
    )
}  # fmt: skip
CHOICES = Choices(ALGORITHMS, {}, {}, "Open MPI", SETTINGS)
CHAIN, TREE, _ = ALGORITHMS["bcast"]


def short(rules: list[Rule]) -> list[tuple[int, int, int, int]]:
    """Processes, sizes and number of each rule."""
    return [(one.processes, one.low, one.high, one.number) for one in rules]


def test_neighbouring_sizes_with_one_winner_are_one_rule() -> None:
    winners = {("bcast", 8, 2): CHAIN, ("bcast", 64, 2): CHAIN, ("bcast", 512, 2): TREE, ("bcast", 4096, 4): CHAIN}
    rules = rules_of(winners, CASES, CHOICES)
    assert short(rules) == [(2, 8, 64, 1), (2, 512, 512, 4), (4, 4096, 4096, 1)]
    assert rules[0].where == "bcast 8 to 64 B, 2 processes" and rules[1].where == "bcast 512 B, 2 processes"


def test_a_size_without_a_winner_divides_a_rule() -> None:
    winners = {("bcast", size, 2): CHAIN for size in SIZES if size != 64}
    assert short(rules_of(winners, CASES, CHOICES)) == [(2, 8, 8, 1), (2, 512, 4096, 1)]


def test_without_sizes_only_an_algorithm_that_loses_nowhere() -> None:
    winners = {("bcast", 8, 2): CHAIN, ("bcast", 64, 2): CHAIN, ("bcast", 512, 2): TREE}
    loses = {(case, one.new): False for case in CASES for one in ALGORITHMS["bcast"]}
    assert short(for_all_sizes(winners, CASES, loses, CHOICES)) == [(0, 8, 4096, 1)]
    worse = {**loses, (("bcast", 4096, 4), "chain"): True}
    assert short(for_all_sizes(winners, CASES, worse, CHOICES)) == [(0, 8, 4096, 4)]
    unknown = {key: value for key, value in worse.items() if key != (("bcast", 8, 4), "tree")}
    assert not for_all_sizes(winners, CASES, unknown, CHOICES)


def test_a_rule_is_cut_where_it_is_not_confirmed() -> None:
    [rule] = rules_of({("bcast", size, 2): CHAIN for size in SIZES}, CASES, CHOICES)
    assert short(without([rule], [("bcast", 64, 2)], CASES)) == [(2, 8, 8, 1), (2, 512, 4096, 1)]
    assert short(without([rule], [("bcast", 64, 4)], CASES)) == [(2, 8, 4096, 1)]
    assert not without([rule.model_copy(update={"processes": 0})], [("bcast", 64, 4)], CASES)


def proven(**verdicts: str) -> list[TunedCase]:
    """The proof of all cases of two processes; `s8="faster"`; all others are equivalent."""
    return [
        TunedCase(
            operation="bcast", bytes=size, processes=2, rule=True, verdict=verdicts.get(f"s{size}", "equivalent"),
            ratio=0.8, low=0.7, high=0.9,
        )
        for size in SIZES
    ]  # fmt: skip


def test_only_confirmed_sizes_stay() -> None:
    rules = rules_of({("bcast", size, 2): CHAIN for size in SIZES}, CASES, CHOICES)
    kept, left = settle(rules, proven(s8="faster", s64="faster", s512="inconclusive", s4096="faster"), CASES)
    assert short(kept) == [(2, 8, 64, 1), (2, 4096, 4096, 1)]
    assert [(one.rule.low, one.reason) for one in left] == [(512, "not confirmed: inconclusive")]


@pytest.mark.parametrize("processes", [0, 2])
def test_an_operation_with_a_new_loss_has_no_rule(processes: int) -> None:
    rules = [
        one.model_copy(update={"processes": processes})
        for one in rules_of(dict.fromkeys(CASES[:2], CHAIN), CASES, CHOICES)
    ]
    kept, left = settle(rules, proven(s8="faster", s64="faster", s4096="slower"), CASES)
    assert not kept and [one.reason for one in left] == ["slower with it: 4096 B, 2 processes"]


def test_a_rule_of_all_sizes_stays_if_it_cures_one() -> None:
    [rule] = for_all_sizes({("bcast", 8, 2): CHAIN}, CASES[:4], {(case, "chain"): False for case in CASES}, CHOICES)
    assert settle([rule], proven(s64="faster"), CASES[:4]) == ([rule], [])
    kept, left = settle([rule], proven(), CASES[:4])
    assert not kept and left[0].reason == "not confirmed: equivalent"


def test_the_sentence_counts_what_was_cured() -> None:
    rules = rules_of({("bcast", size, 2): CHAIN for size in (8, 64)}, CASES, CHOICES)
    cases = [case.model_copy(update={"rule": case.bytes < 512}) for case in proven(s8="faster", s64="faster")]
    tuning = Tuning(
        stack="o", library="Open MPI", threshold=0.05, error=0.05, tried={"bcast": ["chain", "tree"]}, refused={},
        screened=8, rounds=3, blocks=6, launches=10, rules=rules, cases=cases,
    )  # fmt: skip
    assert tuning.in_words == (
        "o: 2 of 2 cases cured by 1 rule, no case is slower, of 4 measured in fresh blocks "
        "(2 algorithms of 1 operation, 8 cases)"
    )
    none = tuning.model_copy(update={"rules": [], "cases": []})
    assert none.in_words.startswith("o: its own choice is kept everywhere: none is better by more than 5 %")
