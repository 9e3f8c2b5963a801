# SPDX-License-Identifier: BSD-3-Clause
"""The search for the settings that make a difference, with known effects and noise."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping

import pytest

from isochron.workflows.explanation.search import Found, Share, search

NAMES = [f"s{number}" for number in range(10)]

Truth = Callable[[frozenset[str]], float]


def additive(effects: Mapping[str, float]) -> Truth:
    """Return the share of a set of settings whose effects add up."""
    return lambda chosen: sum(effects.get(name, 0.0) for name in chosen)


def both(first: str, second: str, share: float) -> Truth:
    """Return the share of a set that has an effect only if both settings are in it."""
    return lambda chosen: share if {first, second} <= chosen else 0.0


def found_by(
    truth: Truth,
    names: list[str],
    half_width: float = 0.08,
    seed: int = 1,
    likely: frozenset[str] = frozenset(),
    others: list[str] | None = None,
) -> tuple[Found, int]:
    """Return what is found, and the number of sets that were measured; `half_width`: of 95 % intervals."""
    noise, steps, count = random.Random(seed), search(names, likely, others or []), 0
    try:
        sets = next(steps)
        while True:
            count += len(sets)
            shares = {one: truth(one) + noise.gauss(0, half_width / 2) for one in sets}
            sets = steps.send({one: Share(x, x - half_width, x + half_width) for one, x in shares.items()})
    except StopIteration as end:
        return end.value, count


@pytest.mark.parametrize("cause", NAMES)
def test_a_single_cause_is_found_wherever_it_stands(cause: str) -> None:
    found, count = found_by(additive({cause: 0.95}), NAMES)
    assert found.causes == (cause,)
    assert found.together.low <= 0.95 <= found.together.high or abs(found.together.share - 0.95) < 0.15
    assert count <= 7  # all, at most four splits, the cause by itself beside all


def test_of_forty_planted_causes_nearly_all_are_found() -> None:
    draw = random.Random(7)
    right = 0
    for seed in range(40):
        names = [f"s{number}" for number in range(10)]
        cause = draw.choice(names)
        found, count = found_by(additive({cause: draw.uniform(0.7, 1.0)}), names, 0.15, seed)
        right += found.causes == (cause,)
        assert count <= 20
    assert right >= 38


def test_causes_that_add_up_are_found_with_their_shares() -> None:
    found, _ = found_by(additive({"s2": 0.6, "s7": 0.35}), NAMES)
    assert found.causes == ("s2", "s7")
    assert not found.interact
    assert found.alone[0].share == pytest.approx(0.6, abs=0.15)
    assert found.alone[1].share == pytest.approx(0.35, abs=0.15)


@pytest.mark.parametrize(("first", "second"), [("s0", "s9"), ("s4", "s5"), ("s1", "s2"), ("s8", "s9")])
def test_two_that_act_together_are_named_together(first: str, second: str) -> None:
    found, _ = found_by(both(first, second, 0.9), NAMES)
    assert found.causes == (first, second)
    assert found.interact


@pytest.mark.parametrize("names", [NAMES, []])
def test_others_are_searched_where_the_settings_explain_nothing(names: list[str]) -> None:
    found, _ = found_by(additive({"t2": 0.9}), names, others=["t1", "t2", "t3"])
    assert found.causes == ("t2",)
    assert found_by(additive({}), names, others=["t1", "t2", "t3"])[0].causes == ()


def test_others_are_left_where_the_settings_explain_something() -> None:
    found, _ = found_by(additive({"s2": 0.5, "t2": 0.5}), NAMES, others=["t1", "t2", "t3"])
    assert found.causes == ("s2",)


def test_no_setting_is_named_where_none_has_an_effect() -> None:
    named = [found_by(additive({}), NAMES, 0.15, seed)[0].causes for seed in range(200)]
    assert sum(bool(causes) for causes in named) <= 10


def test_all_settings_together_are_measured_first_and_alone_suffice_to_end() -> None:
    found, count = found_by(additive({}), NAMES, 0.01)
    assert (found.causes, count) == ((), 1)
    assert found.all_settings.share == pytest.approx(0, abs=0.03)


@pytest.mark.parametrize("names", [[], ["only"]])
def test_few_settings(names: list[str]) -> None:
    found, count = found_by(additive({"only": 1.0}), names)
    assert found.causes == tuple(names)
    assert count == len(names)


def test_a_likely_cause_that_is_it_ends_the_search_at_once() -> None:
    found, count = found_by(additive({"s7": 0.95}), NAMES, likely=frozenset(["s7", "of-another-library"]))
    assert (found.causes, count) == (("s7",), 2)


def test_of_several_likely_causes_those_that_do_nothing_are_left_out() -> None:
    found, count = found_by(additive({"s7": 0.95}), NAMES, likely=frozenset(["s1", "s4", "s7"]))
    assert (found.causes, count) == (("s7",), 8)  # without each of three, then without the two that do nothing


@pytest.mark.parametrize("likely", [["s2"], ["s2", "s3"], NAMES])
def test_what_seems_likely_does_not_decide_what_is_found(likely: list[str]) -> None:
    assert found_by(additive({"s7": 0.95}), NAMES, likely=frozenset(likely))[0].causes == ("s7",)
    partly = found_by(additive({"s2": 0.4, "s7": 0.5}), NAMES, likely=frozenset(likely))[0]
    assert partly.causes == ("s2", "s7")


def test_few_settings_are_measured_one_by_one() -> None:
    """All; all and each of seven; and of two, all, both and each alone."""
    few = NAMES[:7]
    found, count = found_by(additive({"s2": 0.5, "s5": 0.4}), few, 0.05)
    assert (found.causes, count) == (("s2", "s5"), 13)
    found, count = found_by(additive({"s2": 0.9}), few, 0.05)
    assert (found.causes, count) == (("s2",), 9)


def test_shares_of_other_experiments_do_not_name_settings() -> None:
    """All shares of an experiment are off by a factor of its own, as by the stacks that measure in turns."""
    wrong = 0
    for seed in range(100):
        draw, steps = random.Random(seed), search(NAMES[:7])
        sets = next(steps)
        try:
            while True:
                factor = draw.uniform(0.6, 1.0)
                sets = steps.send(
                    {
                        one: Share(share, share - 0.02, share + 0.02)
                        for one in sets
                        for share in [factor * ("s3" in one)]
                    }
                )
        except StopIteration as end:
            wrong += end.value.causes != ("s3",)
    assert wrong == 0


@pytest.mark.parametrize(("first", "second"), [("s0", "s6"), ("s3", "s4")])
def test_few_settings_that_act_only_together_are_found(first: str, second: str) -> None:
    found, _ = found_by(both(first, second, 0.9), NAMES[:7], 0.05)
    assert found.causes == (first, second)
    assert found.interact


def one_of_two_with_another(alone: float) -> Truth:
    """Return the share of a set in which s0 and s1 do the same, `alone` by itself and 0.6 with s3."""
    return lambda chosen: (
        (alone if {"s0", "s1"} & chosen else 0.0) + (0.6 - alone) * bool({"s0", "s1"} & chosen and "s3" in chosen)
    )


@pytest.mark.parametrize("alone", [0.0, 0.13, 0.25])
@pytest.mark.parametrize("names", [NAMES[:7], NAMES[:4], ["s3", "s1", "s0", "s5"]])
def test_search_names_one_of_two_that_do_the_same_with_what_they_need(alone: float, names: list[str]) -> None:
    """As MPICH 5.0.2 at 8 KiB: a smaller cell makes a message too large for it, and either of two settings slow."""
    found, count = found_by(one_of_two_with_another(alone), names, 0.01)
    assert set(found.causes) in ({"s0", "s3"}, {"s1", "s3"}) and found.interact
    assert found.together.share == pytest.approx(0.6, abs=0.03)
    assert count <= 40


@pytest.mark.parametrize("names", [NAMES, NAMES[:5]])
def test_search_names_the_more_likely_of_two_that_do_the_same(names: list[str]) -> None:
    found, _ = found_by(lambda chosen: 0.9 * bool({"s1", "s3"} & chosen), names, 0.01)
    assert found.causes == ("s1",)
    assert found.together.share == pytest.approx(0.9, abs=0.03)


def test_a_cause_among_few_is_not_hidden_by_one_that_makes_it_slower() -> None:
    found, _ = found_by(additive({"s2": 0.9, "s3": -0.4}), NAMES[:7], 0.05)
    assert found.causes == ("s2",)
