# SPDX-License-Identifier: BSD-3-Clause
"""The report's sections, in their order. A new one is a module of `sections`, a template, and a word here."""

from __future__ import annotations

from isochron.postprocess.report.section import Section
from isochron.postprocess.report.sections.answer.profiles import PROFILED
from isochron.postprocess.report.sections.answer.section import FIRST_SCREEN
from isochron.postprocess.report.sections.beside import OTHER_MACHINES
from isochron.postprocess.report.sections.details.section import DETAILS
from isochron.postprocess.report.sections.details.views import SOURCES_VIEWS
from isochron.postprocess.report.sections.errors import SYSTEMATIC
from isochron.postprocess.report.sections.explorer.section import EXPLORER
from isochron.postprocess.report.sections.fastest import FASTEST_STACK
from isochron.postprocess.report.sections.figures import FIGURES
from isochron.postprocess.report.sections.files import FILES
from isochron.postprocess.report.sections.guidelines import PERFORMANCE_GUIDELINES
from isochron.postprocess.report.sections.methods import METHODS
from isochron.postprocess.report.sections.npb import BENCHMARKS
from isochron.postprocess.report.sections.scaling.section import CURVES
from isochron.postprocess.report.sections.scan import NODE_SCAN
from isochron.postprocess.report.sections.stacks import BUILT_STACKS
from isochron.postprocess.report.sections.summary import OVERVIEW
from isochron.postprocess.report.sections.times import TIMES
from isochron.postprocess.report.sections.trust.attempts import REFUSED
from isochron.postprocess.report.sections.trust.environment import ENVIRONMENT
from isochron.postprocess.report.sections.trust.interference import INTERFERENCE
from isochron.postprocess.report.sections.trust.late import LATE_INITIALISATION
from isochron.postprocess.report.sections.trust.overview import TRUSTED
from isochron.postprocess.report.sections.trust.starts import STARTS_OF_ROWS
from isochron.postprocess.report.sections.trust.tools import CROSS_CHECKS
from isochron.postprocess.report.sections.trust.verdicts import RESULT_VERDICTS

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
