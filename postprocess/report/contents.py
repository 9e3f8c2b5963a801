# SPDX-License-Identifier: BSD-3-Clause
"""The report's sections, in their order. A new one is a module of `sections`, a template, and a word here."""

from __future__ import annotations

from isochron.postprocess.kit.section import Section
from isochron.postprocess.subjects.answer.section import FIRST_SCREEN, OVERVIEW
from isochron.postprocess.subjects.attempts.section import REFUSED
from isochron.postprocess.subjects.comparison.section import FASTEST_STACK
from isochron.postprocess.subjects.details.section import DETAILS
from isochron.postprocess.subjects.environment.section import ENVIRONMENT
from isochron.postprocess.subjects.explorer.section import EXPLORER
from isochron.postprocess.subjects.guidelines.section import PERFORMANCE_GUIDELINES
from isochron.postprocess.subjects.interference.section import INTERFERENCE
from isochron.postprocess.subjects.machines.section import OTHER_MACHINES
from isochron.postprocess.subjects.methods.section import FILES, METHODS
from isochron.postprocess.subjects.npb.section import BENCHMARKS
from isochron.postprocess.subjects.profiles.section import PROFILED
from isochron.postprocess.subjects.results.section import FIGURES, TIMES
from isochron.postprocess.subjects.scaling.section import CURVES
from isochron.postprocess.subjects.scan.section import NODE_SCAN
from isochron.postprocess.subjects.stacks.section import BUILT_STACKS
from isochron.postprocess.subjects.systematic.section import LATE_INITIALISATION, SYSTEMATIC
from isochron.postprocess.subjects.tools.section import CROSS_CHECKS
from isochron.postprocess.subjects.trust.section import TRUSTED
from isochron.postprocess.subjects.verdicts.section import RESULT_VERDICTS, STARTS_OF_ROWS
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
