# SPDX-License-Identifier: BSD-3-Clause
"""What makes the formats of exports. A new one is a module of this folder, a line here and one in the schemas."""

from collections.abc import Callable

from isochron.postprocess.export.content import Content
from isochron.postprocess.export.data import junit, record, workbook
from isochron.postprocess.export.documents import latex, markdown
from isochron.postprocess.export.pdf import pdf
from isochron.postprocess.export.records import records
from isochron.postprocess.export.reframe import reference
from isochron.postprocess.ingest.inputs import RunInputs
from isochron.postprocess.report.render import standalone

#: By the name of the format (`schemas.exports.FORMATS`).
OF_A_RUN: dict[str, Callable[[Content], str | bytes]] = {
    "pdf": pdf,
    "html": lambda content: standalone(content.inputs),
    "md": markdown,
    "xlsx": workbook,
    "latex": latex,
    "junit": junit,
    "json": record,
    "jsonl": records,
}
OF_ALL_RUNS: dict[str, Callable[[list[RunInputs]], str]] = {"reframe": reference}


def exported(form: str, runs: list[RunInputs]) -> bytes:
    """The newest of the runs in a format, or what follows from them all. Raises FileError."""
    made = OF_ALL_RUNS[form](runs) if form in OF_ALL_RUNS else OF_A_RUN[form](Content(runs[-1]))
    return made.encode() if isinstance(made, str) else made
