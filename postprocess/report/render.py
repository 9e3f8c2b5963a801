# SPDX-License-Identifier: BSD-3-Clause
"""The context set in the templates of `reports/`: one file that works anywhere."""

from __future__ import annotations

from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from isochron.ground.files import write_atomically
from isochron.ground.resources import shipped
from isochron.postprocess.analysis.analysis import analyse
from isochron.postprocess.reading.inputs import RunInputs
from isochron.postprocess.report.context import build

#: Templates, styles, scripts and texts.
REPORTS = shipped("reports")


def render(inputs: RunInputs) -> Path:
    """Write the report of a run and return its path."""
    environment = Environment(
        loader=FileSystemLoader(REPORTS),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    page = environment.get_template("templates/report.html.j2").render(report=build(inputs, analyse(inputs)))
    write_atomically(inputs.layout.report, page)
    return inputs.layout.report
