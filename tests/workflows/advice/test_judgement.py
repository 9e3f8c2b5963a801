# SPDX-License-Identifier: BSD-3-Clause
"""What the comparisons of a trial show: cured, still slower, undecided, worse, given up."""

from __future__ import annotations

import pytest

from isochron.workflows.advice.judgement import Judged, Names, Row, judge

NAMES = Names("old", "new", "new.set", ["new.set-1", "new.set-2"])
KEY = ("bcast", 8)
LISTS = ("cured", "slower", "undecided", "worse", "given_up")


def row(baseline: str, candidate: str, verdict: str) -> Row:
    return {
        "operation": "bcast", "bytes": "8", "baseline": baseline, "candidate": candidate, "verdict": verdict,
        "ratio": "1.2", "ratio_low": "1.1", "ratio_high": "1.3",
    }  # fmt: skip


def judged(lost: bool, **verdicts: str) -> Judged:
    """Judge one case; verdicts by pair, as `old_set` for the new version with settings against the old one."""
    words = {"old": "old", "new": "new", "set": "new.set", "one": "new.set-1", "two": "new.set-2"}
    rows = [row(*(words[word] for word in pair.split("_")), verdict) for pair, verdict in verdicts.items()]
    return judge(rows, [KEY] if lost else [], NAMES)


@pytest.mark.parametrize(
    ("lost", "verdicts", "expected"),
    [
        (True, {"old_set": "equivalent", "old_new": "slower"}, "cured"),
        (True, {"old_set": "not-slower", "old_new": "slower"}, "cured"),
        (True, {"old_set": "slower", "old_new": "slower", "new_set": "faster"}, "slower"),
        (False, {"old_set": "slower", "old_new": "slower", "new_set": "equivalent"}, "slower"),
        (True, {"old_set": "inconclusive", "old_new": "slower"}, "undecided"),
        (True, {"old_set": "depends", "old_new": "slower"}, "undecided"),
        (False, {"old_set": "inconclusive", "old_new": "equivalent"}, ""),
        (False, {"old_set": "equivalent", "old_new": "faster", "new_set": "slower"}, "given_up"),
        (False, {"old_set": "equivalent", "old_new": "faster", "set_new": "faster"}, "given_up"),
        (False, {"old_set": "faster", "old_new": "faster", "new_set": "equivalent"}, ""),
        (False, {"old_set": "slower", "old_new": "equivalent", "new_set": "slower"}, "worse"),
        (True, {"old_set": "slower", "old_new": "slower", "new_set": "slower"}, "worse"),
    ],
)
def test_each_case_is_in_one_list(lost: bool, verdicts: dict[str, str], expected: str) -> None:
    found = judged(lost, **verdicts)
    assert [name for name in LISTS if getattr(found, name)] == ([expected] if expected else [])
    assert found.measured == 1


def test_a_setting_that_alone_is_worse_is_harmful() -> None:
    worse = {"old_set": "slower", "new_set": "slower", "old_new": "equivalent"}
    alone = {"old_one": "equivalent", "new_one": "equivalent", "old_two": "slower", "two_new": "faster"}
    assert judged(False, **worse, **alone).harmful == {1}
    assert judged(False, **worse).harmful == {0, 1}
    assert judged(True, old_set="equivalent", **alone).harmful == set()


def test_the_only_setting_is_the_harmful_one() -> None:
    rows = [row("old", "new.set", "slower"), row("new", "new.set", "slower")]
    assert judge(rows, [], Names("old", "new", "new.set")).harmful == {0}


def test_a_case_without_the_settings_is_not_counted() -> None:
    assert judged(True, old_new="slower").measured == 0


def test_operations_that_are_not_in_the_trial_are_left() -> None:
    judged = judge([row("old", "new.set", "equivalent")], [("scan", 8), KEY, ("scan", 64), ("reduce", 8)], NAMES)
    assert judged.left == ["scan", "reduce"]
    assert [case.operation for case in judged.cured] == ["bcast"]
