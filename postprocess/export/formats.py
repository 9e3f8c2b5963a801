# SPDX-License-Identifier: BSD-3-Clause
"""The formats of exports. A new one is a module of this folder and a line here."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # the command line lists the formats, and has no use for what makes them
    from isochron.postprocess.reading.inputs import RunInputs


@dataclass(frozen=True)
class Format:
    """A format: `module` has a function of its name that makes it, of a `Content` or of all runs."""

    suffix: str
    module: str
    meaning: str
    of_all_runs: bool = False

    def make(self, runs: list[RunInputs]) -> bytes:
        """Export the newest of the runs, or what follows from them all. Raises FileError."""
        from isochron.postprocess.export.content import Content

        module: Any = import_module(f"isochron.postprocess.export.{self.module}")
        function = getattr(module, self.module)
        made: str | bytes = function(runs) if self.of_all_runs else function(Content(runs[-1]))
        return made.encode() if isinstance(made, str) else made


FORMATS = {
    "pdf": Format("pdf", "pdf", "the report, printed"),
    "md": Format("md", "markdown", "the answer, for a pull request, a mail, a chat"),
    "xlsx": Format("xlsx", "workbook", "all tables, a sheet each"),
    "latex": Format("tex", "latex", "the comparisons of the question, as tables of a paper"),
    "junit": Format("xml", "junit", "the same as tests of a pipeline: what is slower fails"),
    "json": Format("json", "record", "answer, findings and the main tables, for programs"),
    "reframe": Format("reference.json", "reference", "references for ReFrame checks, by all runs", of_all_runs=True),
}
