# SPDX-License-Identifier: BSD-3-Clause
"""The one list of subjects: its order is that of the report's sections, figures and list of files.

A new subject is a folder with a `SUBJECT` at the end of its `section.py` (`finding.py` without one), and a line here.
"""

from isochron.postprocess.kit.figure import FigureInfo
from isochron.postprocess.kit.finding import FINDINGS, Finding
from isochron.postprocess.kit.section import Section
from isochron.postprocess.kit.subject import Subject
from isochron.postprocess.kit.table import SavedFrame, Table
from isochron.postprocess.subjects.answer.section import SUBJECT as ANSWER
from isochron.postprocess.subjects.attempts.section import SUBJECT as ATTEMPTS
from isochron.postprocess.subjects.comparison.section import SUBJECT as COMPARISON
from isochron.postprocess.subjects.contrasts.finding import SUBJECT as CONTRASTS
from isochron.postprocess.subjects.details.section import SUBJECT as DETAILS
from isochron.postprocess.subjects.environment.section import SUBJECT as ENVIRONMENT
from isochron.postprocess.subjects.explanation.section import SUBJECT as EXPLANATION
from isochron.postprocess.subjects.explorer.section import SUBJECT as EXPLORER
from isochron.postprocess.subjects.guidelines.section import SUBJECT as GUIDELINES
from isochron.postprocess.subjects.interference.section import SUBJECT as INTERFERENCE
from isochron.postprocess.subjects.jobs.section import SUBJECT as JOBS
from isochron.postprocess.subjects.machines.section import SUBJECT as MACHINES
from isochron.postprocess.subjects.methods.section import SUBJECT as METHODS
from isochron.postprocess.subjects.npb.section import SUBJECT as NPB
from isochron.postprocess.subjects.placements.section import SUBJECT as PLACEMENTS
from isochron.postprocess.subjects.profiles.section import SUBJECT as PROFILES
from isochron.postprocess.subjects.published.section import SUBJECT as PUBLISHED
from isochron.postprocess.subjects.results.section import SUBJECT as RESULTS
from isochron.postprocess.subjects.scaling.section import SUBJECT as SCALING
from isochron.postprocess.subjects.scan.section import SUBJECT as SCAN
from isochron.postprocess.subjects.screening.finding import SUBJECT as SCREENING
from isochron.postprocess.subjects.stacks.section import SUBJECT as STACKS
from isochron.postprocess.subjects.startup.section import SUBJECT as STARTUP
from isochron.postprocess.subjects.systematic.section import SUBJECT as SYSTEMATIC
from isochron.postprocess.subjects.tools.section import SUBJECT as TOOLS
from isochron.postprocess.subjects.trust.section import SUBJECT as TRUST
from isochron.postprocess.subjects.tuning.finding import SUBJECT as TUNING
from isochron.postprocess.subjects.turns.section import SUBJECT as TURNS
from isochron.postprocess.subjects.verdicts.section import SUBJECT as VERDICTS
from isochron.postprocess.subjects.views.section import SUBJECT as VIEWS
from isochron.schemas.input.campaign import Campaign

SUBJECTS: tuple[Subject, ...] = (
    ANSWER,
    PROFILES,
    EXPLORER,
    COMPARISON,
    EXPLANATION,
    SCREENING,
    TUNING,
    STACKS,
    RESULTS,
    JOBS,
    CONTRASTS,
    MACHINES,
    NPB,
    SCAN,
    PLACEMENTS,
    SCALING,
    PUBLISHED,
    GUIDELINES,
    TRUST,
    VERDICTS,
    SYSTEMATIC,
    TOOLS,
    DETAILS,
    STARTUP,
    VIEWS,
    INTERFERENCE,
    TURNS,
    ATTEMPTS,
    ENVIRONMENT,
    METHODS,
)

#: The files of `tables/` that are CSV.
TABLES: tuple[Table, ...] = tuple(table for subject in SUBJECTS for table in subject.tables)
#: What `analyse` saves for `render` in `analysis/`: the tables, and frames that are no files for people.
ALL_SAVED: tuple[SavedFrame, ...] = (*TABLES, *(frame for subject in SUBJECTS for frame in subject.frames))
SECTIONS: tuple[Section, ...] = tuple(section for subject in SUBJECTS for section in subject.sections)

#: Kinds of findings in reading order: limits of the report, then results, then their quality. A kind that is not
#: named here comes last, in the order of the subjects.
READING_ORDER = (
    "incomplete", "simulated", "not-asleep", "changed-configuration",
    "slow-job", "scan", "slow-nodes", "profiled", "systematic-errors", "published-findings",
    "versions", "explanation", "screened", "tuned", "differences", "tails", "fastest", "open", "bound",
    "operations-per-rep", "thread-level", "placements", "placement-advice", "trunk-orders", "scaling", "growth",
    "guidelines", "company", "unreliable", "environment", "overhead", "remeasured", "interim", "attempts",
    "jobs", "repeatability", "dependent", "groups", "regimes", "launches", "first-call", "timers", "wait-patterns",
    "memory", "startup",
)  # fmt: skip

#: The files of `tables/` that are no tables, and what they contain.
RECORDS = {FINDINGS: "the findings as data", "remeasure.json": "rows that should be measured again, as data"}


def files(campaign: Campaign) -> dict[str, str]:
    """Every file of `tables/` in a campaign's run with its content, in the order in which the report lists them."""
    return {file: holds for table in TABLES for file, holds in table.files(campaign).items()} | RECORDS


def in_reading_order(findings: list[Finding]) -> list[Finding]:
    """The findings sorted by kind (`READING_ORDER`); those of one kind stay in their order."""
    position = {kind: index for index, kind in enumerate(READING_ORDER)}
    return sorted(findings, key=lambda finding: position.get(finding.kind, len(position)))


def in_page_order(figures: list[FigureInfo]) -> list[FigureInfo]:
    """The figures by the sections that show them, folded ones last in each; figures of one kind stay in their order."""
    shown = [name for section in SECTIONS for name in section.shows or (section.anchor,)]
    position = {name: index for index, name in enumerate(shown)}
    return sorted(figures, key=lambda figure: (position.get(figure.section, len(position)), figure.folded))
