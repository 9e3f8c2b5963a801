# SPDX-License-Identifier: BSD-3-Clause
"""The whole way of a program that users run, with a stand-in that prints as NPB does, and sometimes lies."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from isochron.postprocess.ingest.ingest import ingest
from isochron.postprocess.ingest.inputs import load_inputs
from isochron.postprocess.ingest.programs import read_programs
from isochron.schemas.run.launch_file import damage, foreign
from isochron.schemas.run.plan import Plan
from isochron.schemas.run.tools import read_printout_file
from tests.end_to_end.built import ONE, build
from tests.end_to_end.conftest import Place
from tests.reframe_checks.conftest import run_block

STAND_IN = Path(__file__).parent / "stand_in"


def campaign(*kernels: str) -> dict[str, Any]:
    npb = {"source": str(STAND_IN), "kernels": list(kernels), "classes": ["S"], "launch_seconds": 300}
    return {**ONE, "replication": {"blocks": 1, "launches_per_block": 1}, "programs": {"npb": npb}}


@pytest.mark.mpi
def test_what_a_program_prints_is_reliable_or_refused(tmp_path: Path) -> None:
    """EP tells the truth; IS another number of processes, CG a wrong result."""
    run = build(Place(tmp_path), campaign("EP", "IS", "CG"))
    failures = {said.split(".packed.")[1][:2]: said for said in run_block(run.root, "b001")}
    assert set(failures) == {"IS", "CG"}
    assert "Total processes = 3, but 2 were planned" in failures["IS"]
    assert "Verification = UNSUCCESSFUL" in failures["CG"]
    assert not run.block("b001").exists()
    planned = {launch.name: launch for launch in Plan.load(run.plan).launches}
    accepted = [name for name in planned if run.launch(name).exists()]
    honest, engine = sorted(accepted, key=lambda name: planned[name].program is None)
    assert ".EP.S." in honest and planned[engine].program is None
    raw = read_printout_file(run.launch(honest))
    assert raw.texts[0] == " Stand-in for NPB, for tests: not a benchmark"
    assert len(raw.head.hosts) == 2 and len(set(raw.head.hosts)) == 1
    assert raw.head.launch["name"] == honest and raw.head.launch["launcher"] == "stack"
    assert damage(run.launch(honest)) == "" and foreign(run.launch(honest), honest, [run.run_id]) == ""
    inputs = load_inputs(run.root)
    assert ingest(inputs)["launches"] == 1
    (row,) = read_programs(inputs.layout).to_dict("records")
    assert (row["kernel"], row["npb_class"], row["processes"], row["seconds"]) == ("EP", "S", 2, 0.12)
    assert (row["mops_total"], row["verification"], row["stack"]) == (800.0, "SUCCESSFUL", "openmpi-5.0")
    assert row["hosts"].count(",") == 1
