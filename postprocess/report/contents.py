# SPDX-License-Identifier: BSD-3-Clause
"""The report's sections, in their order. A new one is a module of `sections`, a template, and a word here."""

from __future__ import annotations

from isochron.postprocess.kit.section import Section
from isochron.postprocess.subjects.answer.section__section import FIRST_SCREEN
from isochron.postprocess.subjects.answer.section__summary import OVERVIEW
from isochron.postprocess.subjects.attempts.section import REFUSED
from isochron.postprocess.subjects.comparison.section import FASTEST_STACK
from isochron.postprocess.subjects.details.section import DETAILS
from isochron.postprocess.subjects.environment.section import ENVIRONMENT
from isochron.postprocess.subjects.explorer.section import EXPLORER
from isochron.postprocess.subjects.guidelines.section import PERFORMANCE_GUIDELINES
from isochron.postprocess.subjects.interference.section import INTERFERENCE
from isochron.postprocess.subjects.machines.section import OTHER_MACHINES
from isochron.postprocess.subjects.methods.section__files import FILES
from isochron.postprocess.subjects.methods.section__methods import METHODS
from isochron.postprocess.subjects.npb.section import BENCHMARKS
from isochron.postprocess.subjects.profiles.section import PROFILED
from isochron.postprocess.subjects.results.section__figures import FIGURES
from isochron.postprocess.subjects.results.section__times import TIMES
from isochron.postprocess.subjects.scaling.section__section import CURVES
from isochron.postprocess.subjects.scan.section import NODE_SCAN
from isochron.postprocess.subjects.stacks.section import BUILT_STACKS
from isochron.postprocess.subjects.systematic.section__errors import SYSTEMATIC
from isochron.postprocess.subjects.systematic.section__late import LATE_INITIALISATION
from isochron.postprocess.subjects.tools.section import CROSS_CHECKS
from isochron.postprocess.subjects.trust.section__overview import TRUSTED
from isochron.postprocess.subjects.verdicts.section__starts import STARTS_OF_ROWS
from isochron.postprocess.subjects.verdicts.section__verdicts import RESULT_VERDICTS
from isochron.postprocess.subjects.views.section import SOURCES_VIEWS

SECTIONS: tuple[Section, ...] = (
    FIRST_SCREEN,
    OVERVIEW,
    PROFILED,
    EXPLORER,
    FASTEST_STACK,
    BUILT_STACKS,
    TIMES,
    FIGURES,
    OTHER_MACHINES,
    BENCHMARKS,
    NODE_SCAN,
    CURVES,
    PERFORMANCE_GUIDELINES,
    TRUSTED,
    RESULT_VERDICTS,
    STARTS_OF_ROWS,
    LATE_INITIALISATION,
    SYSTEMATIC,
    CROSS_CHECKS,
    DETAILS,
    SOURCES_VIEWS,
    INTERFERENCE,
    REFUSED,
    ENVIRONMENT,
    METHODS,
    FILES,
)
