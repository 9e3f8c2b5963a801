# SPDX-License-Identifier: BSD-3-Clause
"""What the launches ran on: stacks, provenance, timers, clocks; bindings, loads and certificate for the report."""

from isochron.postprocess.estimate.machine.provenance import (
    BINDING_COLUMNS,
    LOAD_COLUMNS,
    PROVENANCE_COLUMNS,
    Observation,
    binding_table,
    load_table,
    node_facts,
    observations,
    provenance_table,
)
from isochron.postprocess.kit.table import SavedFrame, Table, TableContext


def make_observations(context: TableContext) -> list[Observation]:
    """All that is known of the nodes."""
    return observations(context.inputs, context.launches)


PROVENANCE = Table(
    name="provenance",
    columns=PROVENANCE_COLUMNS,
    make=lambda context: provenance_table(context.get(make_observations)),
    holds="nodes and environment of the launches: every fact with every value that it had",
)
LOADS = SavedFrame(name="loads", columns=LOAD_COLUMNS, make=lambda context: load_table(context.get(make_observations)))
BINDINGS = SavedFrame(
    name="bindings",
    columns=BINDING_COLUMNS,
    make=lambda context: binding_table(context.inputs, context.launches, node_facts(context.get(make_observations))),
)
