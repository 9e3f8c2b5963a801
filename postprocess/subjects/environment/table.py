# SPDX-License-Identifier: BSD-3-Clause
"""What the launches ran on: stacks, provenance, timers, clocks; bindings, loads and certificate for the report."""

from __future__ import annotations

import pandas as pd

from isochron.postprocess.estimate.machine.certificate import CERTIFICATE_COLUMNS, certificate_table
from isochron.postprocess.estimate.machine.clocks import CLOCK_COLUMNS, TIMER_COLUMNS, clock_table, timer_table
from isochron.postprocess.estimate.machine.provenance import (
    BINDING_COLUMNS,
    LOAD_COLUMNS,
    PROVENANCE_COLUMNS,
    SIDE_COLUMNS,
    Observation,
    binding_table,
    load_table,
    observations,
    provenance_table,
    side_by_side,
)
from isochron.postprocess.ingest.inputs import RunInputs
from isochron.postprocess.kit.table import SavedFrame, Table, TableContext

STACK_COLUMNS = {
    "stack": "MPI stack",
    "mpi_library": "family of the MPI library",
    "mpi_version": "version of the MPI library",
    "mpi_library_version": "what MPI_Get_library_version returns",
    "stack_source": "where the stack comes from: `wheels`, `spack` or `site`",
    "compiler": "compiler behind the wrapper",
    "cc": "compiler wrapper",
    "engine_version": "version of the engine",
    "engine_sha256": "SHA-256 of the engine's executable",
    "provenance": "further facts as key=value, separated by semicolons",
    "built_at": "when the engine was built",
}


def stack_table(inputs: RunInputs) -> pd.DataFrame:
    """`STACK_COLUMNS` from the manifests that exist, in the campaign's order."""
    rows = [
        {
            **manifest.model_dump(),
            "provenance": "; ".join(f"{key}={value}" for key, value in sorted(manifest.provenance.items())),
        }
        for manifest in inputs.manifests.values()
    ]
    return pd.DataFrame(rows, columns=list(STACK_COLUMNS))


def make_observations(context: TableContext) -> list[Observation]:
    """All that is known of the nodes."""
    return observations(context.inputs, context.launches)


STACKS = Table(
    name="stacks",
    columns=STACK_COLUMNS,
    make=lambda context: stack_table(context.inputs),
    holds="the MPI stacks and where they come from",
)
PROVENANCE = Table(
    name="provenance",
    columns=PROVENANCE_COLUMNS,
    make=lambda context: provenance_table(context.get(make_observations)),
    holds="nodes and environment of the launches: every fact with every value that it had",
)
LOADS = SavedFrame(name="loads", columns=LOAD_COLUMNS, make=lambda context: load_table(context.get(make_observations)))
TIMERS = Table(
    name="timers",
    columns=TIMER_COLUMNS,
    make=lambda context: timer_table(context.inputs.layout),
    holds="every timer on every node, as tested before each block",
)
CLOCKS = Table(
    name="clock-synchronisation",
    columns=CLOCK_COLUMNS,
    make=lambda context: clock_table(context.launches),
    holds="every synchroniser at every point: time, error and bound",
)
BINDINGS = SavedFrame(
    name="bindings",
    columns=BINDING_COLUMNS,
    make=lambda context: binding_table(context.inputs, context.launches),
)
SIDE_BY_SIDE = Table(
    name="stacks-side-by-side",
    columns=SIDE_COLUMNS,
    make=lambda context: side_by_side(
        context.inputs.manifests, context.get(BINDINGS.make), context.get(make_observations)
    ),
    holds="the stacks side by side: version, effective binding, environment, compiler, and whether they differ in it",
)
CERTIFICATE = SavedFrame(
    name="certificate",
    columns=CERTIFICATE_COLUMNS,
    make=lambda context: certificate_table(context.inputs.layout, context.launches),
)
