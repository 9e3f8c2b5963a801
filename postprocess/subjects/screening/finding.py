# SPDX-License-Identifier: BSD-3-Clause
"""How the operations of the run were chosen, and what seems to have changed and is not among them."""

from isochron.common.copies import is_there
from isochron.postprocess.formatting import numbers
from isochron.postprocess.ingest.inputs import RunInputs
from isochron.postprocess.kit.finding import Finding
from isochron.postprocess.kit.subject import Subject
from isochron.postprocess.kit.table import Analysis
from isochron.schemas.run.screening import Screening


def screened(inputs: RunInputs, _: Analysis) -> list[Finding]:
    """A sentence, if `isochron upgrade` has made the run; and what only the new version does wrong."""
    path = inputs.layout.screening
    if not is_there(path):
        return []
    screening = Screening.load(path)
    operations = len({case.operation for case in screening.cases})
    chosen = len({case.operation for case in screening.followed})
    left = f" {numbers.listing(screening.left)} also seemed to, and could not be followed." if screening.left else ""
    unusable = f" {screening.unusable}" if screening.unusable else ""
    broken = [Finding(kind="broken", severity="warning", text=screening.broken)] if screening.broken else []
    return [
        *broken,
        Finding(
            kind="screened",
            severity="warning" if unusable else "note",
            text=f"{numbers.count(len(screening.cases), 'case')} of {numbers.count(operations, 'operation')} were "
            f"screened in {numbers.count(screening.blocks, 'block')} before this run, which measures "
            f"again {numbers.count(chosen, 'operation')} that seemed to change most surely from {screening.old} to "
            f"{screening.new}. Its verdicts rest on its own launches alone.{left}{unusable}",
            numbers={"cases": len(screening.cases), "operations": operations, "followed": chosen},
        ),
    ]


SUBJECT = Subject(findings=(screened,))
