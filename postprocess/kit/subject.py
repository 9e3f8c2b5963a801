# SPDX-License-Identifier: BSD-3-Clause
"""The declaration of a subject of the report."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from isochron.postprocess.ingest.inputs import RunInputs
from isochron.postprocess.kit.figure import Plot
from isochron.postprocess.kit.finding import Finding
from isochron.postprocess.kit.section import Section
from isochron.postprocess.kit.table import Analysis, SavedFrame, Table


@dataclass(frozen=True)
class Subject:
    """What the report says about one subject, each part in the order in which readers see it.

    `tables`: files of `tables/`. `frames`: saved for sections and figures, but no files. `figures` and `findings`:
    functions that return those of a run, none if there is nothing to show.
    """

    tables: tuple[Table, ...] = ()
    frames: tuple[SavedFrame, ...] = ()
    figures: tuple[Callable[[RunInputs, Analysis], Iterable[Plot]], ...] = ()
    findings: tuple[Callable[[RunInputs, Analysis], list[Finding]], ...] = ()
    sections: tuple[Section, ...] = ()
