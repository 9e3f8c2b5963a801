# SPDX-License-Identifier: BSD-3-Clause
"""Other benchmarks beside the engine: every value with the reason why it differs."""

from dataclasses import dataclass
from math import isnan

from isochron.postprocess.formatting import labels, numbers
from isochron.postprocess.kit.section import FigureView, Section, Source, StackMark
from isochron.postprocess.kit.subject import Subject
from isochron.postprocess.subjects.tools import figure
from isochron.postprocess.subjects.tools.table import TOOLS

#: More rows than these are in the file only.
MOST = 200


@dataclass(frozen=True)
class ToolRow:
    """A tool and the engine in one case, as text."""

    mark: StackMark
    tool: str
    case: str
    processes: str
    tool_us: str
    tool_range: str
    tool_rse: str
    engine_us: str
    engine_rse: str
    ratio: str
    like: str
    like_us: str
    rest: str
    reason: str


@dataclass(frozen=True)
class View:
    """What was found in a sentence, figures, and rows."""

    text: str
    figures: list[FigureView]
    rows: list[ToolRow]
    left_out: int


def build(source: Source) -> View | None:
    """None if no tool was launched."""
    table = source.analysis[TOOLS]
    if not len(table):
        return None
    differing = table[table["differs"].astype(bool)]
    again = differing["reproduced"].astype(bool).sum()
    tools = " and ".join(dict.fromkeys(str(tool) for tool in table["tool"]))
    text = f"{tools}: {len(differing)} of {len(table)} values differ by more than 10 % from the engine's."
    if len(differing):
        text += f" In {again} of these the engine comes to the tool's value when it measures as the tool does."
    rows = [
        ToolRow(
            mark=source.marks[row["stack"]],
            tool=row["tool"],
            case=labels.timed(row["operation"]) + (f", {labels.size(row)}" if row["bytes"] else ""),
            processes=str(row["processes"]),
            tool_us=numbers.significant(row["tool_us"]),
            tool_range=f"{numbers.significant(row['launch_min_us'])}–{numbers.significant(row['launch_max_us'])}",
            tool_rse=_percent(row["tool_rse"]),
            engine_us=numbers.significant(row["engine_us"]),
            engine_rse=_percent(row["engine_rse"]),
            ratio=numbers.ratio(row["ratio"]),
            like=row["like"],
            like_us=numbers.significant(row["like_us"]),
            rest=numbers.ratio(row["rest_ratio"]),
            reason=row["reason"],
        )
        for row in table.head(MOST).to_dict("records")
    ]
    return View(text, source.figures_of("tools"), rows, max(0, len(table) - MOST))


def _percent(share: float) -> str:
    return numbers.NONE if isnan(share) else f"{100 * share:.2g} %"


CROSS_CHECKS = Section("tools", "Compared with other benchmarks", "tools/section.html.j2", build, needs=(TOOLS,))

SUBJECT = Subject(
    tables=(TOOLS,),
    figures=(figure.figures,),
    sections=(CROSS_CHECKS,),
)
