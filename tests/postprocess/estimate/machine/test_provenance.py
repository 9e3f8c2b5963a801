# SPDX-License-Identifier: BSD-3-Clause
"""Two nodes that are not alike: what differs stands in the table and in the report, with the nodes' names."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from isochron.postprocess.ingest.inputs import load_inputs
from isochron.schemas.run.layout import RunLayout
from tests.postprocess.ingest.test_launch_file import records
from tests.postprocess.reported import report
from tests.postprocess.synthetic import Spec, whole, write_run
from tests.reframe_checks.launch.test_node_facts import facts, fake_node

pytestmark = pytest.mark.process

TWO = Spec(
    stacks=["openmpi-5.0", "mpich-5.0"],
    operations=["barrier"],
    sizes=[8],
    processes=[4],
    processes_per_node=[2],
    launches=2,
)


def write(tmp_path: Path) -> RunLayout:
    """A run on two nodes; the second has another governor, an older firmware, and hangs on another switch."""
    layout = RunLayout(write_run(tmp_path / "results" / "synthetic" / "run", TWO))
    roots = [
        fake_node(tmp_path / "n0", host="node0"),
        fake_node(tmp_path / "n1", host="node1", governor="powersave", **{"fabric.mlx5_0.firmware": "20.28.0"}),
    ]
    nodes = [facts("node", root, SLURM_TOPOLOGY_ADDR=f"core.leaf{index}") for index, root in enumerate(roots)]
    for raw in layout.launches.glob("*.jsonl"):
        transport = "ucx" if "openmpi" in raw.name else "ofi"
        launch = facts("launch", roots[0], SLURM_JOB_ID="4711", OMPI_MCA_pml=transport)
        raw.with_suffix(".provenance").write_text("".join(f"{json.dumps(line)}\n" for line in [launch, *nodes]))
    return layout


def made(run: RunLayout) -> tuple[pd.DataFrame, str]:
    """`provenance.csv` by fact, and the report's chapter on the environment as text."""
    report(run.root)
    page = run.report.read_text()
    chapter = page[page.index('<section id="environment"') :]
    text = re.sub(r"<[^>]+>", " ", chapter[: chapter.index("</section>")])
    return pd.read_csv(run.tables / "provenance.csv", dtype=str).set_index("fact"), " ".join(text.split())


@pytest.fixture(scope="module")
def reported(tmp_path_factory: pytest.TempPathFactory) -> tuple[pd.DataFrame, str]:
    return made(write(tmp_path_factory.mktemp("reported")))


def test_what_differs_between_nodes(reported: tuple[pd.DataFrame, str]) -> None:
    table, text = reported
    governors = table.loc["governor"].set_index("value")
    assert governors["hosts"].to_dict() == {"performance": "node0", "powersave": "node1"}
    assert governors["differs"].tolist() == ["True", "True"]
    assert (table.loc["kernel", "differs"], table.loc["kernel", "hosts"]) == ("False", "node0,node1")
    differing = set(table.index[table["differs"] == "True"])
    assert differing == {"governor", "fabric.mlx5_0.firmware", "switch"}
    assert "Where nodes or launches differ" in text
    for fact, value, host in (("governor", "powersave", "node1"), ("fabric.mlx5_0.firmware", "20.28.0", "node1")):
        assert f"{fact} {value} 4 {host} mpich-5.0,openmpi-5.0" in text
    assert "Kernel 6.1.0-50-amd64" in text
    assert "Load of a node before a launch 0.12" in text


def test_stacks_may_have_environments_of_their_own(reported: tuple[pd.DataFrame, str]) -> None:
    table, _ = reported
    transports = table.loc["environment.OMPI_MCA_pml"].set_index("value")
    assert transports["stacks"].to_dict() == {"ofi": "mpich-5.0", "ucx": "openmpi-5.0"}
    assert set(transports["differs"]) == {"False"}


def rebind(layout: RunLayout, change: Callable[[dict[str, str]], None]) -> None:
    """Change the bindings in the header of one launch."""
    raw = sorted(layout.launches.glob("*.jsonl"))[0]
    header, *others = records(raw)
    for entry in header["bindings"]:  # type: ignore[attr-defined]
        change(entry)
    raw.chmod(0o644)
    raw.write_bytes(whole([header, *others]))


def test_a_node_that_could_not_be_asked_and_binding_as_it_really_was(
    reported: tuple[pd.DataFrame, str], tmp_path: Path
) -> None:
    assert "openmpi-5.0 4 processes, 2 per node 0 | 1 node0, node1" in reported[1]
    run = write(tmp_path)
    described = sorted(run.launches.glob("*.provenance"))[0]
    described.write_text("".join(described.read_text().splitlines(keepends=True)[:2]))

    def spread(entry: dict[str, str]) -> None:
        if entry["host"] == "node1":
            entry |= {"cpus": "0-127", "ranks": "2-3"}

    rebind(run, spread)
    table, text = made(run)
    assert table.loc["kernel"].set_index("value").loc["not known", "hosts"] == "node1"
    assert "kernel not known 1 node1" in text
    assert re.search(r"0-127 \(2 processes\)[^.]* node1", text)


def test_runs_without_provenance_have_a_report(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run", TWO)
    table, text = made(RunLayout(folder))
    assert not len(table)
    assert "Where nodes or launches differ" not in text
    assert load_inputs(folder).state is not None
