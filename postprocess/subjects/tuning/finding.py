# SPDX-License-Identifier: BSD-3-Clause
"""Which rules were proven in this run, and which were left out."""

from isochron.common.copies import is_there
from isochron.postprocess.formatting import numbers
from isochron.postprocess.ingest.inputs import RunInputs
from isochron.postprocess.kit.finding import Finding
from isochron.postprocess.kit.subject import Subject
from isochron.postprocess.kit.table import Analysis
from isochron.schemas.run.tuning import Tuning


def tuned(inputs: RunInputs, _: Analysis) -> list[Finding]:
    """A sentence, if `isochron tune` has made the run."""
    path = inputs.layout.tuning
    if not is_there(path):
        return []
    tuning = Tuning.load(path)
    rules = numbers.listing([f"{rule.where}: {rule.algorithm}" for rule in tuning.rules])
    left = numbers.listing([f"{one.rule.where}: {one.rule.algorithm}" for one in tuning.left_out])
    parts = [
        f"{tuning.in_words}.",
        f"Proven: {rules}." if rules else "",
        f"Left out: {left}." if left else "",
        f"Files: {numbers.listing(tuning.files)}." if tuning.files else "",
    ]
    return [
        Finding(
            kind="tuned",
            severity="note",
            text=" ".join(part for part in parts if part),
            numbers={"rules": len(tuning.rules), "cured": len(tuning.cured), "left_out": len(tuning.left_out)},
        )
    ]


SUBJECT = Subject(findings=(tuned,))
