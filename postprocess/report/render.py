# SPDX-License-Identifier: BSD-3-Clause
"""The page set in the templates of `reports/`: one file that works anywhere."""

from __future__ import annotations

from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from isochron.ground.files import write_atomically
from isochron.ground.resources import shipped
from isochron.postprocess.analysis.kept import read_again
from isochron.postprocess.findings.model import Findings
from isochron.postprocess.reading.inputs import RunInputs
from isochron.postprocess.report.page import build
from isochron.postprocess.report.registry import SECTIONS
from isochron.postprocess.tables.registry import FINDINGS

#: Templates, styles, scripts and texts.
REPORTS = shipped("reports")


def render(inputs: RunInputs) -> Path:
    """Write the report of what `analyse` left and return its path. Raises FileError where that is missing."""
    environment = Environment(
        loader=FileSystemLoader(REPORTS),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    analysis = read_again(inputs.layout, dict.fromkeys(table for section in SECTIONS for table in section.needs))
    findings = Findings.load(inputs.layout.tables / FINDINGS).findings
    page = environment.get_template("templates/report.html.j2").render(report=build(inputs, analysis, findings))
    write_atomically(inputs.layout.report, page)
    return inputs.layout.report
