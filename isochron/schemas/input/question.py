# SPDX-License-Identifier: BSD-3-Clause
"""The question of a campaign: the stacks to compare first, the weights of the cases, and the accepted loss.

The tests of the question are a family with a familywise error rate (confirmatory). All other pairs of stacks are a
second, exploratory family.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from isochron.schemas.base import Section
from isochron.schemas.input.size import parse_size
from isochron.schemas.input.spec import Name


def _a_share(loss: float) -> float:
    """Return an accepted loss. Raises ValueError for one of 100 % or more, which was meant as a percentage."""
    if loss >= 1:
        share = f"; write {loss / 100:g} for {loss:g} %" if loss < 100 else ""
        raise ValueError(f"{loss:g} is a loss of {100 * loss:g} %, and less than 1 (100 %) can be accepted{share}")
    return loss


Weight = Annotated[float, Field(ge=0)]
Loss = Annotated[float, Field(gt=0), AfterValidator(_a_share)]
#: An operation, or one of its sizes: `allreduce`, `allreduce 4KiB`.
Named = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]*( \d+\s*(B|KiB|MiB|GiB)?)?$")]

#: Library and version of a stack.
Version = tuple[str, str]
#: Baseline and candidate.
Pair = tuple[str, str]


class Question(Section):
    """The question of a campaign, stated before anything is measured."""

    type: Literal["upgrade", "default"] | None = Field(
        None,
        description="`upgrade`: may the candidate replace the baseline? `default`: which stack should be the default? "
        "Default: `upgrade`, of the newest version of each library against its predecessor; `default` if no "
        "library is there in two versions",
    )
    baseline: Name | None = Field(
        None, description="the stack in use; without `candidate`, every other stack is compared with it"
    )
    candidate: Name | None = Field(
        None, description="the stack that may replace it; without `baseline`, it is compared with every other stack"
    )
    weights: dict[Named, Weight] = Field(
        default={},
        description="a weight for an operation (`allreduce: 5`) or for one of its sizes (`allreduce 4KiB: 2`); if any "
        "is given, the weight of all others is 0; default: 1 for all",
    )
    max_loss: Loss | None = Field(
        None, description="largest accepted relative loss in a single case; default: analysis.threshold"
    )
    max_loss_by_case: dict[Named, Loss] = Field(
        default={},
        description="another max_loss for an operation (`allreduce: 0.02`) or for one of its sizes "
        "(`allreduce 64KiB: 0.1`)",
    )

    def weight(self, operation: str, size: int) -> float:
        """Return how much a case counts. Its own weight goes before that of its operation."""
        return _of_case(self.weights, operation, size, default=0.0 if self.weights else 1.0)

    def accepted_loss(self, operation: str, size: int, threshold: float) -> float:
        """Return the largest accepted loss in a case. `threshold`: the practical one."""
        return _of_case(self.max_loss_by_case, operation, size, default=self.max_loss or threshold)

    def check(self, stacks: list[str], cases: list[tuple[str, int]]) -> None:
        """Raise ValueError if it does not fit to a campaign of these stacks and cases."""
        for problem in self._problems(stacks, [operation for operation, _ in cases], [size for _, size in cases]):
            raise ValueError(problem)

    def _problems(self, stacks: list[str], operations: list[str], sizes: list[int]) -> Iterator[str]:
        """Yield what does not fit, in words that begin with the key."""
        for key, stack in (("baseline", self.baseline), ("candidate", self.candidate)):
            if stack is not None and stack not in stacks:
                yield f"question.{key}: '{stack}' is not among the stacks; list it there, or name one of them"
        if self.baseline is not None and self.baseline == self.candidate:
            yield "question.candidate: is the baseline; name another stack"
        if self.type == "default" and (self.baseline or self.candidate):
            yield "question.type: `default` compares all stacks; remove baseline and candidate"
        for key, named in (("weights", self.weights), ("max_loss_by_case", self.max_loss_by_case)):
            for operation, _, size in (name.partition(" ") for name in named):
                if operation not in operations:
                    yield f"question.{key}: '{operation}' is not among the operations; list it there, or remove it here"
                elif size and parse_size(size) not in sizes:
                    yield f"question.{key}: {operation} is not measured at {size}; list the size, or remove it here"
        if self.weights and not any(self.weights.values()):
            yield "question.weights: all weights are 0; set at least one above 0"


def _of_case(named: Mapping[str, float], operation: str, size: int, default: float) -> float:
    """Return the value of a case: its own, else that of its operation, else the default."""
    parts = ((key.partition(" "), value) for key, value in named.items())
    of_sizes = {(each, parse_size(text)): value for (each, _, text), value in parts if text}
    return of_sizes.get((operation, size), named.get(operation, default))


@dataclass(frozen=True)
class QuestionPairs:
    """The pairs of stacks of the question. `default`: whether it asks for the default stack."""

    default: bool
    pairs: list[Pair]


def asked(question: Question, stacks: list[str], versions: Mapping[str, Version]) -> QuestionPairs:
    """Return the pairs of the question. `versions`: of the stacks for which they are known."""
    if question.type == "default":
        return QuestionPairs(True, list(combinations(stacks, 2)))
    if question.baseline is not None and question.candidate is not None:
        return QuestionPairs(False, [(question.baseline, question.candidate)])
    if question.baseline is not None:
        return QuestionPairs(False, [(question.baseline, stack) for stack in stacks if stack != question.baseline])
    if question.candidate is not None:
        return QuestionPairs(False, [(stack, question.candidate) for stack in stacks if stack != question.candidate])
    pairs = successors(stacks, versions)
    return QuestionPairs(False, pairs) if pairs else QuestionPairs(True, list(combinations(stacks, 2)))


def successors(stacks: list[str], versions: Mapping[str, Version]) -> list[Pair]:
    """Return the newest version of each library and the one before it."""
    libraries: dict[str, dict[str, str]] = {}
    for stack in stacks:
        if stack in versions:
            library, version = versions[stack]
            libraries.setdefault(library, {}).setdefault(version, stack)
    pairs = []
    for named in libraries.values():
        newest = sorted(named, key=_number)[-2:]
        if len(newest) > 1:
            pairs.append((named[newest[0]], named[newest[1]]))
    return pairs


def _number(version: str) -> list[int]:
    """`5.0.11` → [5, 0, 11]."""
    return [int(part) for part in version.split(".") if part.isdigit()]
