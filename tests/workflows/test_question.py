# SPDX-License-Identifier: BSD-3-Clause
"""The question of a campaign: which pairs it names, what counts, what cannot be asked."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from isochron.schemas.input.question import Question, asked
from tests.workflows.conftest import campaign

STACKS = ["mpich-4.3", "openmpi-5.0", "mpich-5.0", "mpich-4.2", "openmpi-4.1"]
VERSIONS = {
    "mpich-4.2": ("MPICH", "4.2.1"),
    "mpich-4.3": ("MPICH", "4.3.2"),
    "mpich-5.0": ("MPICH", "5.0.2"),
    "openmpi-4.1": ("Open MPI", "4.1.8"),
    "openmpi-5.0": ("Open MPI", "5.0.11"),
}


def test_without_a_question_the_newest_version_is_set_against_its_predecessor() -> None:
    found = asked(Question(), STACKS, VERSIONS)
    assert found.pairs == [("mpich-4.3", "mpich-5.0"), ("openmpi-4.1", "openmpi-5.0")] and not found.default
    ten = asked(Question(), ["a", "b"], {"a": ("MPICH", "10.0"), "b": ("MPICH", "9.1")})
    assert ten.pairs == [("b", "a")], "by number, not by letters"


def test_without_two_versions_it_is_which_stack_to_take() -> None:
    found = asked(Question(), ["mpich-5.0", "openmpi-5.0", "tuned"], {**VERSIONS, "tuned": VERSIONS["mpich-5.0"]})
    assert found.default and len(found.pairs) == 3
    assert asked(Question(), STACKS, {}).default, "nothing is known of versions"
    assert len(asked(Question(type="default"), STACKS, VERSIONS).pairs) == 10


@pytest.mark.parametrize(
    ("question", "pairs"),
    [
        ({"baseline": "mpich-4.3", "candidate": "openmpi-5.0"}, [("mpich-4.3", "openmpi-5.0")]),
        ({"baseline": "mpich-4.3"}, [("mpich-4.3", each) for each in STACKS if each != "mpich-4.3"]),
        ({"candidate": "mpich-4.3"}, [(each, "mpich-4.3") for each in STACKS if each != "mpich-4.3"]),
    ],
)
def test_what_is_named_is_asked(question: dict[str, str], pairs: list[tuple[str, str]]) -> None:
    assert asked(Question.model_validate(question), STACKS, VERSIONS).pairs == pairs


def test_a_size_has_the_weight_of_its_operation_unless_it_has_its_own() -> None:
    question = Question(weights={"bcast": 3, "bcast 1KiB": 0.5, "reduce 8": 2})
    weights = {case: question.weight(*case) for case in [("bcast", 8), ("bcast", 1024), ("reduce", 8), ("reduce", 64)]}
    assert weights == {("bcast", 8): 3, ("bcast", 1024): 0.5, ("reduce", 8): 2, ("reduce", 64): 0}
    assert Question().weight("reduce", 64) == 1


def test_a_case_has_the_accepted_loss_of_its_size_its_operation_or_all() -> None:
    question = Question(max_loss=0.08, max_loss_by_case={"bcast": 0.02, "bcast 1KiB": 0.1})
    cases = [("bcast", 8), ("bcast", 1024), ("reduce", 8)]
    assert [question.accepted_loss(*case, threshold=0.05) for case in cases] == [0.02, 0.1, 0.08]
    assert Question().accepted_loss("reduce", 8, threshold=0.05) == 0.05


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ({"baseline": "mpich-4.3"}, "question.baseline: 'mpich-4.3' is not among the stacks"),
        ({"baseline": "mpich-5.0", "candidate": "mpich-5.0"}, "question.candidate: is the baseline"),
        ({"type": "default", "baseline": "mpich-5.0"}, "question.type: `default`"),
        ({"weights": {"reduce": 1}}, "question.weights: 'reduce' is not among the operations"),
        ({"weights": {"bcast 16": 1}}, "question.weights: bcast is not measured at 16"),
        ({"weights": {"bcast": 0}}, "question.weights: all weights are 0"),
        ({"max_loss": 0}, "greater than 0"),
        ({"max_loss": 5}, "5 is a loss of 500 %, and less than 1 .* write 0.05 for 5 %"),
        ({"max_loss": 1}, "write 0.01 for 1 %"),
        ({"max_loss_by_case": {"bcast": 2.5}}, "write 0.025 for 2.5 %"),
        ({"max_loss_by_case": {"reduce": 0.1}}, "question.max_loss_by_case: 'reduce' is not among the operations"),
        ({"max_loss_by_case": {"bcast 16": 0.1}}, "question.max_loss_by_case: bcast is not measured at 16"),
        ({"max_loss_by_case": {"bcast": 0}}, "greater than 0"),
    ],
)
def test_what_cannot_be_asked_is_refused(question: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        campaign(question=question)
