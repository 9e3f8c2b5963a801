# SPDX-License-Identifier: BSD-3-Clause
"""`stacks.csv` and `stacks-side-by-side.csv`: what was built, and what differs between the stacks."""

import pandas as pd

from isochron.postprocess.estimate.machine.provenance import (
    SIDE_COLUMNS,
    side_by_side,
)
from isochron.postprocess.ingest.inputs import RunInputs
from isochron.postprocess.kit.table import Table
from isochron.postprocess.subjects.environment.table import BINDINGS, make_observations

STACK_COLUMNS = {
    "stack": "MPI stack",
    "mpi_library": "family of the MPI library",
    "mpi_version": "version of the MPI library",
    "mpi_library_version": "what MPI_Get_library_version returns",
    "stack_source": "where the stack comes from: `wheels`, `spack`, `prefix`, `module` or `site`",
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


STACKS = Table(
    name="stacks",
    columns=STACK_COLUMNS,
    make=lambda context: stack_table(context.inputs),
    holds="the MPI stacks and where they come from",
)
SIDE_BY_SIDE = Table(
    name="stacks-side-by-side",
    columns=SIDE_COLUMNS,
    make=lambda context: side_by_side(
        context.inputs.manifests, context.get(BINDINGS.make), context.get(make_observations)
    ),
    holds="the stacks side by side: version, effective binding, environment, compiler, and whether they differ in it",
)
