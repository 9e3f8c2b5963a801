# SPDX-License-Identifier: BSD-3-Clause
"""Whole campaigns with programs: the stand-in, and NPB itself where ISOCHRON_NPB_SOURCE names its source tree."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from isochron.schemas.run.npb import PROGRAMS, BuiltPrograms
from isochron.schemas.run.plan import Plan
from tests.end_to_end.conftest import Place
from tests.end_to_end.programs.test_stand_in import campaign

SOURCE = os.environ.get("ISOCHRON_NPB_SOURCE")


def measured(place: Place, document: dict[str, Any]) -> pd.DataFrame:
    """`npb.csv` of a campaign that was run to its report."""
    place.write(**document)
    done = place.isochron("run", "mini.yaml", timeout=1500)
    assert done.returncode == 0, done.stdout + done.stderr
    return pd.read_csv(place.run.tables / "npb.csv")


@pytest.mark.slow
@pytest.mark.campaign
def test_a_campaign_with_a_program_has_its_part_of_the_report(place: Place) -> None:
    document = campaign("EP")
    document["programs"]["npb"] |= {"processes": [1, 2], "processes_per_node": [1, 2], "compare_with": ["ekss-npb"]}
    document["replication"] = {"blocks": 2, "launches_per_block": 1}
    table = measured(place, document)
    assert table[["processes", "launches", "mops_total", "speed_up"]].to_numpy().tolist() == [
        [1, 2, 400.0, 1.0], [2, 2, 800.0, 2.0],
    ]  # fmt: skip
    run = place.run
    page = run.report.read_text()
    assert '<section id="npb"' in page and "EP, class S" in page
    assert "npb-speed-up.svg" in (run.figures / "figures.json").read_text()
    store = pd.read_parquet(run.table("programs"))
    assert list(store.columns) == [column.name for column in PROGRAMS]
    assert len(store) == 4 and len(pd.read_parquet(run.table("launches"))) == 2
    left_out = {(item["program"], item["reason"]) for item in json.loads(run.plan.read_text())["skipped"]}
    assert ("npb", "2 processes per node are more than the 1 processes") in left_out
    again = place.isochron("run", "mini.yaml")
    assert "nothing to do" in again.stdout


@pytest.mark.slow
@pytest.mark.campaign
def test_a_program_that_was_changed_is_built_again(place: Place) -> None:
    """A damaged program is not run: its stack is built again, and what was measured stays."""
    document = {**campaign("EP"), "replication": {"blocks": 2, "launches_per_block": 1}}
    measured(place, document)
    run = place.run
    (lost,) = [launch for launch in Plan.load(run.plan).launches if launch.program is not None and launch.block == 2]
    run.launch(lost.name).unlink()
    program = run.npb("openmpi-5.0") / "ep.S.x"
    program.write_bytes(program.read_bytes() + b"x")
    done = place.isochron("run", "mini.yaml")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "stack openmpi-5.0: manifest or engine damaged" in done.stdout
    assert len(pd.read_parquet(run.table("programs"))) == 2


@pytest.mark.slow
@pytest.mark.campaign
@pytest.mark.skipif(SOURCE is None, reason="ISOCHRON_NPB_SOURCE names no source tree of NPB with MPI")
def test_npb_itself(place: Place) -> None:
    """Every kernel at class S: one to four processes of Open MPI, up to two of MPICH, which spins."""
    npb = {"source": str(Path(str(SOURCE)).resolve()), "kernels": ["EP", "IS", "CG", "MG", "FT", "LU", "SP", "BT"]}
    npb |= {"classes": ["S"], "processes": [1, 2, 4], "processes_per_node": [1, 2, 4]}
    base = {key: value for key, value in campaign().items() if key != "programs"}
    document = {
        **base,
        "stacks": ["openmpi-5.0", "mpich-5.0"],
        "allow_oversubscription": True,
        "programs": {"npb": npb},
    }
    table = measured(place, document)
    assert (table["launches"] == table["launches_planned"]).all()
    found = set(zip(table["stack"], table["kernel"], table["processes"], strict=True))
    assert {("openmpi-5.0", "LU", 4), ("openmpi-5.0", "BT", 4), ("mpich-5.0", "FT", 2)} <= found
    assert not {row for row in found if row[0] == "mpich-5.0" and row[2] == 4}
    assert not {row for row in found if row[1] in ("SP", "BT") and row[2] == 2}
    assert (table["mops_total"] > 0).all()
    built = BuiltPrograms.load(place.run.built_npb("openmpi-5.0"))
    assert built.interface == "Isochron's" and "GNU Fortran" in built.fortran
