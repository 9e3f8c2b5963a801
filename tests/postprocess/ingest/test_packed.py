# SPDX-License-Identifier: BSD-3-Clause
"""The command that a page names for raw files: what is made of the run afterwards is what it was before."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from isochron.postprocess.__main__ import main
from isochron.postprocess.estimate.machine.provenance import binding_table
from isochron.postprocess.ingest.inputs import load_inputs
from isochron.postprocess.ingest.store import read_table
from tests.documents.pages import ROOT, commands
from tests.postprocess.synthetic import Spec, write_run

pytestmark = pytest.mark.process

#: In the page's own command.
FOLDER = "results/mine/20261121T001530Z-3fa2"
SPEC = Spec(
    stacks=["openmpi-5.0", "mpich-5.0"], operations=["bcast"], sizes=[8], processes=[2], processes_per_node=[2],
    launches=4, runs=4,
)  # fmt: skip


def documented() -> str:
    """What the page says."""
    page = ROOT / "docs" / "how-to" / "move-or-archive-a-run.md"
    (command,) = (each.text for each in commands(page) if each.text.startswith("gzip"))
    assert FOLDER in command
    return command


@pytest.mark.heavy
def test_a_report_of_compressed_raw_files(tmp_path: Path) -> None:
    run = write_run(tmp_path / FOLDER, SPEC)
    assert main(["ingest", str(run)]) == 0
    inputs = load_inputs(run)
    before = binding_table(inputs, read_table(inputs.layout, "launches"), {})
    subprocess.run(["bash", "-c", documented()], cwd=tmp_path, check=True)
    names = {path.name.rpartition(".")[2] for path in inputs.layout.raw_files()}
    assert names == {"gz"} and len(before)
    assert binding_table(inputs, read_table(inputs.layout, "launches"), {}).equals(before)
    assert main(["report", str(run)]) == 0
    assert inputs.layout.report.is_file()
