# SPDX-License-Identifier: BSD-3-Clause
"""All that the template sees. Every text is ready to be set: the template does no arithmetic."""

from __future__ import annotations

from dataclasses import dataclass

from isochron.postprocess.findings.model import Finding


@dataclass(frozen=True)
class StackMark:
    """A stack's name with its glyph and the number of its colour."""

    name: str
    glyph: str
    series: int


@dataclass(frozen=True)
class KeyFigure:
    """A number that a director looks for."""

    value: str
    label: str


@dataclass(frozen=True)
class MatrixCell:
    """The fastest stack of a case. `state` as in fastest.csv, or `absent`."""

    state: str
    stacks: list[StackMark]
    lead: str
    interval: str
    columns: int = 1


@dataclass(frozen=True)
class MatrixRow:
    """An operation."""

    operation: str
    cells: list[MatrixCell]


@dataclass(frozen=True)
class Matrix:
    """Operations × sizes at one point."""

    title: str
    sizes: list[str]
    rows: list[MatrixRow]

    @property
    def settled(self) -> bool:
        """Whether any of its cells says more than that nothing is established."""
        return any(cell.state in ("established", "equal", "alone") for row in self.rows for cell in row.cells)


@dataclass(frozen=True)
class StackView:
    """A stack as the manifest describes it; `facts` are label and text."""

    mark: StackMark
    library: str
    version_text: str
    facts: list[tuple[str, str]]


@dataclass(frozen=True)
class ValueCell:
    """A time with its interval. `rank`: `first` (established), `leading` (not established) or empty."""

    value: str
    interval: str
    rank: str
    doubt: str


@dataclass(frozen=True)
class ValueRow:
    """Bytes, processes, processes per node (with the placement where it is not `packed`), and a cell for each stack."""

    keys: list[str]
    cells: list[ValueCell]


@dataclass(frozen=True)
class ScalabilityTable:
    """An operation's times."""

    operation: str
    file: str
    rows: list[ValueRow]


@dataclass(frozen=True)
class FigureView:
    """A figure as inline SVG."""

    anchor: str
    title: str
    caption: str
    svg: str
    section: str


@dataclass(frozen=True)
class CurveRow:
    """A curve over processes and what models say of it."""

    mark: StackMark
    operation: str
    size: str
    per_node: str
    algorithm: str
    also: str
    typical: str
    leaves: str
    broken: str
    form: str
    error: str


@dataclass(frozen=True)
class LargestRow:
    """An operation at the largest process count."""

    mark: StackMark
    operation: str
    size: str
    value: str
    interval: str
    algorithm: str
    model: str
    factor: str


@dataclass(frozen=True)
class LargestTable:
    """All operations at the largest process count of a number of processes per node."""

    title: str
    rows: list[LargestRow]


@dataclass(frozen=True)
class ParameterRow:
    """Parameters of the cost models, each with its source."""

    mark: StackMark
    per_node: str
    alpha: str
    alpha_source: str
    stream: str
    stream_source: str
    together: str
    together_source: str
    reduction: str
    reduction_source: str


@dataclass(frozen=True)
class GuidelineRow:
    """A violated guideline."""

    mark: StackMark
    operation: str
    size: str
    point: str
    kind: str
    other: str
    factor: str
    interval: str


@dataclass(frozen=True)
class VerdictRow:
    """Verdict of a row with what it rests on."""

    mark: StackMark
    operation: str
    size: str
    point: str
    launches: str
    runs: str
    late: str
    overrun: str
    rse: str
    verdict: str
    reason: str


@dataclass(frozen=True)
class BindingRow:
    """Processors of the processes of a node, and the nodes that had this binding."""

    stack: str
    point: str
    binding: str
    nodes: str


@dataclass(frozen=True)
class NodeDifference:
    """One value of a fact that was not the same everywhere, and where it was so."""

    fact: str
    value: str
    launches: str
    hosts: str
    stacks: str


@dataclass(frozen=True)
class AgainRow:
    """A row that was measured again: both results."""

    mark: StackMark
    case: str
    first: str
    again: str
    outcome: str
    reason: str


@dataclass(frozen=True)
class ClockRow:
    """A synchroniser at a point: time, errors and bound, as text."""

    method: str
    stack: str
    point: str
    phase: str
    error: str
    error_end: str
    bound: str
    errors: str
    launches: str


@dataclass(frozen=True)
class Link:
    """A file beside the report."""

    href: str
    text: str
    meaning: str


@dataclass(frozen=True)
class ReportContext:
    """The report."""

    title: str
    description: str
    campaign: str
    system: str
    run_id: str
    measured_on: str
    complete: bool
    state: str
    simulation: str
    method: dict[str, str]
    key_figures: list[KeyFigure]
    warnings: list[Finding]
    findings: list[Finding]
    matrices: list[Matrix]
    stacks: list[StackView]
    marks: list[StackMark]
    scalability: list[ScalabilityTable]
    figures: list[FigureView]
    curves: list[CurveRow]
    largest: list[LargestTable]
    parameters: list[ParameterRow]
    guidelines: list[GuidelineRow]
    guideline_count: str
    doubtful: list[VerdictRow]
    verdicts: list[VerdictRow]
    environment: list[tuple[str, str]]
    bindings: list[BindingRow]
    differences: list[NodeDifference]
    again: list[AgainRow]
    clocks: list[ClockRow]
    skipped: list[tuple[str, str, str]]
    tables: list[Link]
    raw: list[Link]
