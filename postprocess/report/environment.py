# SPDX-License-Identifier: BSD-3-Clause
"""Where and with what was measured."""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd

from isochron.postprocess.analysis.analysis import Analysis
from isochron.postprocess.reading.inputs import RunInputs
from isochron.postprocess.report.model import StackView
from isochron.postprocess.report.results import stack_marks
from isochron.postprocess.words import numbers
from isochron.schemas.manifest import Manifest

#: Characters of a hash that tell engines apart.
SHORT_HASH = 12


def stack_views(inputs: RunInputs) -> list[StackView]:
    """The stacks that were built."""
    marks = stack_marks(inputs)
    return [
        StackView(marks[name], f"{stack.mpi_library} {stack.mpi_version}", stack.mpi_library_version, _facts(stack))
        for name, stack in inputs.manifests.items()
    ]


def _facts(stack: Manifest) -> list[tuple[str, str]]:
    return [
        ("Route", stack.route),
        *(
            (key[:1].upper() + key[1:].replace("_", " "), short(value))
            for key, value in sorted(stack.provenance.items())
        ),
        ("Compiler", stack.compiler),
        ("Engine", f"{stack.engine_version}, sha256 {short(stack.engine_sha256)}"),
        ("Launch", " ".join([Path(stack.launcher.argv[0]).name, *stack.launcher.argv[1:]])),
    ]


def short(value: str) -> str:
    """A sha256 as its first characters; all else as it is."""
    return f"{value[:SHORT_HASH]}…" if re.fullmatch(r"[0-9a-f]{64}", value) else value


def facts(inputs: RunInputs, analysis: Analysis) -> list[tuple[str, str]]:
    """Label and text for what all launches have together."""
    launches = analysis.launches
    if not len(launches):
        return []
    own = launches[launches["clock_sync"] == inputs.campaign.engine.clock_sync]
    crowded = int(launches["oversubscribed"].sum())
    return [
        ("System", distinct(launches["system"] + ":" + launches["partition"])),
        ("Hosts", _hosts(launches["hosts"])),
        ("Cores of a node", str(inputs.plan.cores_per_node)),
        ("Timer", distinct(launches["timer"])),
        (
            "Timer step, cost of a reading",
            f"{_worst(launches, 'timer_resolution_us')}, {_worst(launches, 'timer_cost_us')}",
        ),
        ("Clock sources of the nodes", distinct(launches["clock_sources"]) or "not known"),
        ("Clock error after the synchronisation", f"at most {_worst(own, 'clock_error_before_us')}"),
        ("Clock error after the runs", f"at most {_worst(own, 'clock_error_after_us')}"),
        ("Launches with more processes than cores", f"{crowded} of {len(launches)}"),
        ("Engine", distinct(launches["engine_version"])),
        (
            "Time of a launch",
            f"{numbers.significant(float(launches['duration_s'].median()))}{numbers.GAP}s in the median",
        ),
        ("Digest of the plan", inputs.plan.digest),
    ]


def distinct(values: pd.Series) -> str:
    """The distinct values, separated by commas."""
    return ", ".join(sorted({str(value) for value in values if value}))


def _hosts(values: pd.Series) -> str:
    return short_list(sorted({name for text in values.unique() for name in text.split(",")}))


def short_list(names: list[str]) -> str:
    """The first eight of them, and how many there are."""
    shown = ", ".join(names[:8])
    return shown if len(names) <= 8 else f"{shown} … ({len(names)} in all)"


def _worst(launches: pd.DataFrame, column: str) -> str:
    value = float(launches[column].max())
    return f"{numbers.significant(value)}{numbers.GAP}µs" if value == value else "not known"  # noqa: PLR0124
