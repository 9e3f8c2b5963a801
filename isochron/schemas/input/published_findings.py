# SPDX-License-Identifier: BSD-3-Clause
"""Published findings: the sentences of a study, and where a run's own tables show whether they hold there, too.

A YAML file in `postprocess/published/findings`, named as the view of the study (`analysis.views`), states for each
sentence where it was published and a check: which values of which tables of the run are compared, and how.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, StrictBool, StrictInt, field_validator, model_validator

from isochron.common.resources import shipped
from isochron.schemas.base import OneLine, Section
from isochron.schemas.input.spec import Name

#: What a cell of a table is compared with.
Cell = StrictBool | StrictInt | float | str
Algorithms = Annotated[list[str], Field(min_length=1)]
Counts = Annotated[list[int], Field(min_length=1)]


class Quantity(Section):
    """A value in the tables of a run. Key columns that `rows` does not fix give a line of results for each value."""

    table: str = Field(description="table of the run, without .csv")
    column: str = Field(description="column of the value; its unit is the end of its name")
    over: str | None = Field(None, description="column by which it is divided")
    low: str | None = Field(None, description="column of the lower end of its interval; otherwise that of the table")
    high: str | None = Field(None, description="column of the upper end")
    rows: dict[str, Cell | list[Cell]] = Field(default={}, description="columns and their value, or one of several")

    @model_validator(mode="after")
    def _interval_has_two_ends(self) -> "Quantity":
        if (self.low is None) != (self.high is None):
            raise ValueError("low and high: give both columns of the interval, or neither")
        return self


class Bounds(Section):
    """Where a number lies if a sentence holds."""

    at_least: float | None = None
    at_most: float | None = None
    near: float | None = Field(None, description="published number")
    within: float | None = Field(None, gt=0, lt=1, description="relative distance from `near` that still agrees")

    @model_validator(mode="after")
    def _has_bounds(self) -> "Bounds":
        if (self.near is None) != (self.within is None):
            raise ValueError("near: give it together with within, as in `near: 400` and `within: 0.05`")
        if (self.near is None) == (self.at_least is None and self.at_most is None):
            raise ValueError("bounds: give either near and within, or at_least, at_most or both")
        if self.at_least is not None and self.at_most is not None and self.at_least > self.at_most:
            raise ValueError(f"at_least: {self.at_least:g} is above at_most, {self.at_most:g}; exchange them")
        return self

    @property
    def ends(self) -> tuple[float, float]:
        """The lowest and the highest number that agrees."""
        if self.near is not None and self.within is not None:
            return self.near * (1 - self.within), self.near * (1 + self.within)
        low, high = self.at_least, self.at_most
        return (float("-inf") if low is None else low), (float("inf") if high is None else high)


class Value(Bounds):
    """A value lies within bounds."""

    kind: Literal["value"]
    quantity: Quantity


class Ratio(Bounds):
    """The ratio of two values lies within bounds."""

    kind: Literal["ratio"]
    of: Quantity
    to: Quantity


class Differ(Section):
    """The largest and the smallest value along a column differ by more than the practical threshold of the campaign."""

    kind: Literal["differ"]
    quantity: Quantity
    along: str = Field(description="column whose values differ in nothing else")


class Order(Section):
    """Values along a column rise from the first to the last that is listed."""

    kind: Literal["order"]
    quantity: Quantity
    along: str
    order: list[Cell] = Field(min_length=2, description="values of that column, the one with the least value first")


class Fastest(Section):
    """Of several operations, or whatever else a column has, one has the least value."""

    kind: Literal["fastest"]
    quantity: Quantity
    along: str
    fastest: Cell
    among: list[Cell] = Field(min_length=2, description="all that are compared, `fastest` included")

    @model_validator(mode="after")
    def _is_among_them(self) -> "Fastest":
        if self.fastest not in self.among:
            raise ValueError(f"fastest: {self.fastest} is not in among; add it")
        return self


class Follows(Section):
    """A curve over processes stays at its model, or between several models, at all of these process counts."""

    kind: Literal["follows"]
    quantity: Quantity = Field(description="measured value; `over` is the column of the model's")
    algorithms: Algorithms = Field(description="those whose models it lies at, or between")
    processes: Counts = Field(description="process counts that the sentence is about")


class Departs(Section):
    """A curve over processes is above its models beyond a process count, and at or between them up to it."""

    kind: Literal["departs"]
    quantity: Quantity
    algorithms: Algorithms
    processes: Counts
    beyond: int | None = Field(
        None, description="the last process count at which it follows; 0: it never does; without it, any but the last"
    )


Check = Annotated[
    Value | Ratio | Differ | Order | Fastest | Follows | Departs,
    Field(discriminator="kind"),
]


def quantities(check: Check) -> Iterator[Quantity]:
    """Yield what a check takes from the tables."""
    if isinstance(check, Ratio):
        yield from (check.of, check.to)
    else:
        yield check.quantity


class Sentence(Section):
    """A sentence of a study, its place there, and how a run is checked against it."""

    name: Name
    text: OneLine = Field(min_length=1, description="what was published, in words")
    place: OneLine = Field(min_length=1, description="table, figure or section of the study")
    check: Check
    sometimes: bool = Field(False, description="the study saw it in some of its runs: one without it does not differ")
    if_differs: OneLine = Field("", description="what is known to make the difference, shown where a run differs")


class PublishedFindings(Section):
    """The sentences of a study."""

    schema_version: Literal[1] = Field(1, alias="schema")
    title: OneLine = Field(min_length=1)
    source: OneLine = Field(min_length=1, description="who published it, and when")
    sentences: list[Sentence] = Field(min_length=1)

    @field_validator("sentences")
    @classmethod
    def _names_differ(cls, sentences: list[Sentence]) -> list[Sentence]:
        twice = [name for name, count in Counter(sentence.name for sentence in sentences).items() if count > 1]
        if twice:
            raise ValueError(f"{twice[0]} is the name of two sentences; rename one")
        return sentences


def studies() -> list[str]:
    """Return the views with published findings."""
    return sorted(path.stem for path in shipped("postprocess", "published", "findings").glob("*.yaml"))


def findings_path(view: str) -> Path:
    """Return the path of the findings of a study, by its view."""
    return shipped("postprocess", "published", "findings", f"{view}.yaml")


def load_findings(path: Path) -> PublishedFindings:
    """Read the findings of a study. Raises FileError."""
    return PublishedFindings.load_yaml(path, "write the published findings of a study to it")
