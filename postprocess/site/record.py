# SPDX-License-Identifier: BSD-3-Clause
"""`site.json`: what a site holds and what it was made of, so that what is as it was need not be made again."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from isochron.postprocess.site.trends import Chart
from isochron.schemas.base import Record

NAME = "site.json"
#: What stands for a largest loss and a largest gain of which there is none.
NEITHER = "No loss or gain established"


class Entry(Record):
    """News of a campaign: what has changed, or what differs, with one run. `updated`: when, ISO 8601.

    `begins`: an answer without an earlier one, which is no change.
    """

    run_id: str
    kind: Literal["answer", "change", "machine", "difference"]
    title: str
    lines: list[str]
    updated: str
    begins: bool = False


class Answered(Record):
    """A number of an answer, as the report shows it."""

    label: str
    value: str
    interval: str
    where: str


class Told(Record):
    """The answer to a question in the words of the report.

    `numbers`: largest loss, largest gain, over all, decided; `again`: how many verdicts hold for further runs, empty
    after one run.
    """

    older: str
    newer: str
    decision: str
    word: str
    sentence: str
    numbers: list[Answered]
    again: str = ""

    @property
    def decisive(self) -> list[Answered]:
        """The numbers of the front page: loss, gain and the ratio over all; one line if neither is established."""
        loss, gain, whole = self.numbers[:3]
        if loss.value == gain.value == "none":
            return [Answered(label=NEITHER, value="", interval="", where=""), whole]
        return [loss, gain, whole]


class Standing(Record):
    """The answers of the newest complete run, the report's headline first.

    `letter`: its quality, with the `reason`; `fastest`: stacks that are established as the fastest, with the
    operations and sizes of each point; `missing`: why there are no answers, empty if there are.
    """

    answers: list[Told] = Field(default=[])
    letter: str = ""
    reason: str = ""
    fastest: list[tuple[str, list[str]]] = Field(default=[])
    missing: str = ""


class Schedule(Record):
    """When the newest complete `run` was measured, when the next one is due, by the usual distance `every`.

    `due` and `every` are empty if runs are too few or not regular. `troubles`: runs of the last month that were
    missed or did not complete, in a line each.
    """

    measured: str = ""
    run: str = ""
    due: str = ""
    every: str = ""
    troubles: list[str] = Field(default=[])


class Trend(Record):
    """The ratio of a question, `older` → `newer`, over all cases by time, drawn.

    `dots`, `bars`: x, y and x, low y, high y in px; `ticks`: y and text; `first`, `last`: dates of the ends;
    `limits`: y of the practical threshold.
    """

    older: str = ""
    newer: str = ""
    label: str
    dots: list[tuple[float, float]]
    bars: list[tuple[float, float, float]]
    ticks: list[tuple[float, str]]
    limits: list[float]
    first: str
    last: str


class Summary(Record):
    """A campaign as index and feed show it. `measured`: when its newest run ended, ISO 8601.

    `speed`: whether the machine is as fast as it was, or from when on that can be told; `week`: what changed in the
    seven days before the newest run; `report`: address of the newest report, empty if it is not in the site.
    """

    label: str
    name: str
    title: str
    system: str
    verdict: str
    sentence: str
    runs: int
    newest: str
    measured: str = ""
    chart: Chart | None
    entries: list[Entry]
    standing: Standing = Field(default=Standing())
    schedule: Schedule = Field(default=Schedule())
    trends: list[Trend] = Field(default=[])
    speed: str = ""
    week: list[str] = Field(default=[])
    report: str = ""

    def trend(self, told: Told) -> Trend | None:
        """The plot of a question; None if there is none yet."""
        return next((each for each in self.trends if (each.older, each.newer) == (told.older, told.newer)), None)


class LeftOut(Record):
    """A run of which not all is in the site, and why, as the end of a sentence."""

    run_id: str
    reason: str


def _within(path: str) -> str:
    parts = PurePosixPath(path).parts
    if not parts or parts[0] == "/" or ".." in parts:
        raise ValueError("leads out of the site")
    return path


def _unsealed(files: Any) -> Any:
    """Sites of earlier versions list their files without seals: all are then made again."""
    return dict.fromkeys(files, "") if isinstance(files, list) else files


#: Files by their paths in the site, each with its seal: size and SHA-256.
Files = Annotated[dict[Annotated[str, AfterValidator(_within)], str], BeforeValidator(_unsealed)]


class Published(Record):
    """A campaign in the site. `key`: what it was made of; `runs`: the same of each run's page; `files`: all of it."""

    key: str
    runs: dict[str, str]
    files: Files
    summary: Summary
    left_out: list[LeftOut] = Field(default=[])


class Site(Record):
    """A whole site. `files`: those that belong to no campaign."""

    schema_version: Literal[1] = 1
    campaigns: dict[str, Published]
    files: Files
