# SPDX-License-Identifier: BSD-3-Clause
"""Two machines on one axis: published against published, a run against what was published, and two runs."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
import yaml

from isochron.common.files import FileError
from isochron.postprocess.__main__ import main
from isochron.postprocess.analysis.saved import load_analysis
from isochron.postprocess.ingest.references import TIMES, reference_times
from isochron.postprocess.subjects.machines.table import MACHINE_TIME_COLUMNS, MACHINES, join_machines
from isochron.schemas.input.reference import reference_path, shipped_references
from isochron.schemas.run.layout import RunLayout
from tests.postprocess.conftest import SMALL
from tests.postprocess.reported import report
from tests.postprocess.synthetic import Spec, write_run

MIB = 2**20


@pytest.mark.parametrize(
    ("operation", "active", "processes", "size", "ratio"),
    [
        ("ping-pong", 2, 16, 0, 0.805),
        ("ping-pong", 2, 16, MIB, 1.001),
        ("alltoall", 16, 16, MIB, 0.960),
        ("alltoall", 32, 32, MIB, 1.45),
    ],
)
def test_ekss_against_scali_comes_out_of_the_table(
    operation: str, active: int, processes: int, size: int, ratio: float
) -> None:
    times = reference_times(reference_path("ekss-pmb-transfers"))
    table = join_machines(times, times, {"ekss1": "scali"})
    key = {"operation": operation, "active": active, "processes": processes, "bytes": size}
    (row,) = table[(table[list(key)] == pd.Series(key)).all(axis=1)].to_dict("records")
    assert row["other_processes"] == processes
    assert round(row["ratio"], 2 if ratio > 1.1 else 3) == ratio
    assert row["ratio_low"] == row["ratio"] == row["ratio_high"]


def test_every_shipped_reference_is_read() -> None:
    found = {name: reference_times(reference_path(name)) for name in shipped_references()}
    assert {name: len(times) for name, times in found.items()} == {
        "bxj-sendrecv": 4, "ekss-pmb-barrier": 18, "ekss-pmb-transfers": 264 + 242,
    }  # fmt: skip
    bxj = found["bxj-sendrecv"].set_index(["system", "processes_per_node", "bytes"])
    assert bxj.loc[("bxj", 8, 0), "time_us"] == bxj.loc[("bxj", 12, 0), "time_us"] == 3.2
    estimates = bxj.loc["bxj-model", ["low_us", "high_us"]]
    assert estimates.to_numpy().tolist() == [[98.40, 193.60], [141.86, 280.52]]
    with pytest.raises(FileError, match="unknown reference 'ekss-pmb-barier', did you mean 'ekss-pmb-barrier'"):
        reference_path("ekss-pmb-barier")


def times(*rows: tuple[str, str, int, int, int, float]) -> pd.DataFrame:
    """system, operation, bytes, processes, active, time."""
    names = ["system", "operation", "bytes", "processes", "active", "time_us"]
    found = pd.DataFrame(rows, columns=pd.Index(names)).assign(processes_per_node=1, placement="packed", reliable=True)
    return found.assign(low_us=found["time_us"] / 1.1, high_us=found["time_us"] * 1.2)[TIMES]


def test_partners_act_alike_and_have_as_many_processes_or_the_fewest_that_wait() -> None:
    ours = times(("a", "ping-pong", 8, 4, 2, 3.0), ("a", "barrier", 0, 4, 4, 8.0), ("a", "ping-pong", 64, 4, 2, 5.0))
    theirs = times(
        ("b", "ping-pong", 8, 16, 2, 1.0), ("b", "ping-pong", 8, 4, 2, 2.0), ("b", "ping-pong", 8, 2, 2, 9.0),
        ("b", "ping-pong", 32, 16, 2, 4.0), ("b", "bcast", 8, 4, 4, 1.0), ("b", "barrier", 0, 8, 8, 9.0),
    )  # fmt: skip
    table = join_machines(ours, theirs, {"a": "b"}).set_index(["operation", "bytes", "active"])
    row = table.loc[("ping-pong", 8, 2)]
    assert (row["other_processes"], row["ratio"]) == (4, 1.5)
    assert (row["ratio_low"], row["ratio_high"]) == pytest.approx((1.5 / 1.1 / 1.2, 1.5 * 1.2 * 1.1))
    assert table["ratio"].notna().sum() == 1
    assert table.loc[("ping-pong", 64, 2), "this_us"] == 5.0 and table.loc[("ping-pong", 32, 2), "other_us"] == 4.0
    assert table.loc[("barrier", 0, 8), "other_us"] == 9.0 and "bcast" not in table.index.get_level_values(0)
    assert table["reliable"].all()


@pytest.mark.process
def test_a_run_beside_another_run_and_a_sites_own_reference(tmp_path: Path) -> None:
    """One run is 1.25 times as slow as the other; the site's file has a round number for one case."""
    first = write_run(tmp_path / "first", Spec(**{**vars(SMALL), "sizes": [8, 64, 1024], "launch_spread": 0.001}))
    slower = {"openmpi-5.0": 1.25, "mpich-5.0": 1.0}
    second = write_run(tmp_path / "second", Spec(**{**vars(SMALL), "speed": slower, "launch_spread": 0.001}))
    for run in (first, second):
        assert main(["ingest", str(run)]) == 0
    (tmp_path / "ours.csv").write_text("# made up\nwhat,size,p,ppn,lab\nBcast,8,4,four,10\nBcast,16,4,four,\n")
    reference = {
        "schema": 1, "title": "Lab", "source": "made up", "data": "ours.csv", "operations": {"Bcast": "bcast"},
        "systems": {"lab": {"title": "Lab", "time_us": "lab"}}, "words": {"four": 4},
        "columns": {"operation": "what", "bytes": "size", "processes": "p", "processes_per_node": "ppn"},
    }  # fmt: skip
    (tmp_path / "ours.yaml").write_text(yaml.safe_dump(reference))
    layout = RunLayout(second)
    document = yaml.safe_load(layout.campaign.read_text())
    document["analysis"]["compare_with"] = [
        {"run": str(first), "stacks": {"openmpi-5.0": "mpich-5.0", "mpich-5.0": "mpich-5.0"}},
        {"reference": str(tmp_path / "ours.yaml"), "stacks": {"openmpi-5.0": "lab"}},
    ]
    layout.campaign.write_text(yaml.safe_dump(document))
    report(second, "beside.", steps=("analyse", "render"))
    table = load_analysis(layout, [MACHINES])[MACHINES]
    assert list(table) == list(MACHINE_TIME_COLUMNS)
    barrier = table[(table["operation"] == "barrier") & (table["active"] == 4)].set_index("ours")["ratio"]
    assert barrier["openmpi-5.0"] == pytest.approx(1.25 / 1.3, rel=0.05)
    assert barrier["mpich-5.0"] == pytest.approx(1.0 / 1.3, rel=0.05)
    only_theirs = table[(table["bytes"] == 64) & (table["operation"] == "bcast")]
    assert len(only_theirs) and only_theirs["this_us"].isna().all()
    (lab,) = table[(table["theirs"] == "lab") & table["ratio"].notna()].to_dict("records")
    assert lab["ratio"] == pytest.approx(lab["this_us"] / 10)
    page = layout.report.read_text()
    assert (layout.figures / "beside.1.svg").is_file() and (layout.figures / "beside.2.svg").is_file()
    assert "Compared with other machines" in page and "Source: made up." in page and "Five MPI stacks" in page


BROKEN = {
    "no such column": ({"systems": {"lab": {"title": "Lab", "time_us": "us"}}}, "has no column 'us'"),
    "unknown operation": ({"operations": {"Bcast": "bcats"}}, "operations.Bcast: unknown operation 'bcats'"),
    "no data": ({"data": "none.csv"}, "name the CSV file in `data`"),
    "unknown key": ({"colour": "red"}, "colour: Extra inputs"),
    "no number": ({"words": {}}, "'four' is no whole number; write one, or list the word under `words`"),
    "no time": ({"columns": {"operation": "what", "processes": "p", "processes_per_node": "p"},
                 "systems": {"lab": {"title": "Lab", "time_us": "what"}}}, "'Bcast' is no time in µs"),
}  # fmt: skip


@pytest.mark.parametrize(("changes", "words"), BROKEN.values(), ids=BROKEN.keys())
def test_what_is_wrong_with_a_reference_is_said_with_file_and_field(
    changes: dict[str, object], words: str, tmp_path: Path
) -> None:
    (tmp_path / "ours.csv").write_text("what,size,p,ppn,lab\nBcast,8,4,four,10\n")
    reference = {
        "schema": 1, "title": "Lab", "source": "made up", "data": "ours.csv", "operations": {"Bcast": "bcast"},
        "systems": {"lab": {"title": "Lab", "time_us": "lab"}}, "words": {"four": 4},
        "columns": {"operation": "what", "bytes": "size", "processes": "p", "processes_per_node": "ppn"},
    }  # fmt: skip
    (tmp_path / "ours.yaml").write_text(yaml.safe_dump(reference | changes))
    with pytest.raises(FileError) as caught:
        reference_times(tmp_path / "ours.yaml")
    assert words in str(caught.value) and str(tmp_path) in str(caught.value)
    assert "\n" not in str(caught.value)
