# SPDX-License-Identifier: BSD-3-Clause
"""From the findings of a run to a folder with program, script and report."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from isochron.common.files import FileError
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.manifest import Manifest
from isochron.workflows.reproducer import reproduce
from isochron.workflows.reproducer.findings import Finding, choose, find_findings
from isochron.workflows.reproducer.reproduce import make_reproducer, write_reproducer

CAUSE = {"setting": "X", "variable": "MPIR_X", "old": "0", "new": "1"}
SHARE = {"share": 0.9, "low": 0.8, "high": 0.95}


def manifest(stack: str, library: str, version: str, **changes: Any) -> Manifest:
    """Return a stack in a folder of its own."""
    described: dict[str, Any] = {
        "stack": stack, "mpi_library": library, "mpi_version": version, "mpi_library_version": f"{library} {version}",
        "stack_source": "wheels", "cc": f"/opt/{stack}/bin/mpicc", "compiler": "gcc 12",
        "launcher": {"argv": [f"/opt/{stack}/bin/mpiexec", "-n", "{processes}", "-ppn", "{processes_per_node}"]},
        "environment": {}, "engine": "", "engine_version": "", "engine_sha256": "", "linked_libraries": [],
        "provenance": {}, "built_at": "",
    }  # fmt: skip
    return Manifest.model_validate({**described, **changes})


MANIFESTS = {
    "m4": manifest("m4", "MPICH", "4.3.2"),
    "m5": manifest("m5", "MPICH", "5.0.2"),
    "o5": manifest("o5", "Open MPI", "5.0.11", environment={
        "set": {"OMPI_ALLOW": "1", "ROOT": "/opt/o5"}, "prepend": {"LD_LIBRARY_PATH": ["/opt/o5/lib"]},
    }),
}  # fmt: skip


def row(operation: str, ratio: float, verdict: str = "slower", **changes: Any) -> dict[str, Any]:
    """Return the columns of comparison.csv that are read."""
    return {
        "operation": operation, "bytes": 8, "processes": 2, "processes_per_node": 2, "placement": "packed",
        "baseline": "m4", "candidate": "m5", "baseline_median_us": 1.0, "candidate_median_us": ratio,
        "ratio": ratio, "ratio_low": 0.9 * ratio, "ratio_high": 1.1 * ratio, "confidence": 0.95, "verdict": verdict,
        "family": "question", "baseline_launches": 24, "candidate_launches": 24, **changes,
    }  # fmt: skip


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RunLayout:
    """A run with five findings and one case without."""
    rows = [
        row("reduce", 9.0, candidate="o5"),
        row("bcast", 2.0),
        row("allgather", 3.0),
        row("allgather", 2.5, processes=4, processes_per_node=4),
        row("gather", 0.5, "faster"),
        row("scan", 1.0, "equivalent"),
    ]
    layout = RunLayout(tmp_path / "results" / "demo" / "1")
    layout.tables.mkdir(parents=True)
    layout.launches.mkdir()
    with (layout.tables / "comparison.csv").open("w") as file:
        table = csv.DictWriter(file, list(rows[0]))
        table.writeheader()
        table.writerows(rows)
    facts = {"record": "node", "host": "n1", "cpu_model": "A | B", "kernel": "6.1"}
    layout.provenance("l1").write_text(json.dumps(facts) + "\n")
    monkeypatch.setattr(reproduce, "_first_launch", lambda *_: "l1")
    return layout


def campaign(**engine: Any) -> Campaign:
    """Return a campaign of all three."""
    return Campaign.model_validate(
        {
            "schema": 1, "name": "demo", "stacks": [*MANIFESTS], "operations": ["bcast"], "sizes": [8],
            "processes": [2], "processes_per_node": [2], "replication": {"blocks": 3, "launches_per_block": 1},
            "engine": engine,
        }
    )  # fmt: skip


def explain(run: RunLayout, **case: Any) -> None:
    """Write what `isochron explain` found of allgather."""
    found = {"operation": "allgather", "bytes": 8, "ratio": 3.0, "verdict": "explained", **case}
    pair = {
        "old": "m4", "new": "m5", "old_library": "a", "new_library": "b", "processes": 2, "processes_per_node": 2,
        "placement": "packed", "tried": [CAUSE], "refused": {}, "only_old": [], "only_new": [], "cases": [found],
        "blocks": 12, "experiments": 3, "launches": 9,
    }  # fmt: skip
    run.explanation.write_text(json.dumps({"schema_version": 1, "pairs": [pair]}))


def written(run: RunLayout, name: str | None = None, **engine: Any) -> tuple[Path, str, str]:
    """Write the reproducer of a finding; return its folder, script and report."""
    finding = choose(find_findings(run, MANIFESTS), name, run)
    made = make_reproducer(run, campaign(**engine), MANIFESTS, finding)
    write_reproducer(made)
    return made.folder, (made.folder / "run.sh").read_text(), (made.folder / "report.md").read_text()


def test_losses_between_versions_of_one_library_come_first(run: RunLayout) -> None:
    found = find_findings(run, MANIFESTS)
    assert [one.name for one in found] == [
        "allgather-8.m5.m4.p2.n2.packed", "allgather-8.m5.m4.p4.n4.packed", "bcast-8.m5.m4.p2.n2.packed",
        "gather-8.m4.m5.p2.n2.packed", "reduce-8.o5.m4.p2.n2.packed",
    ]  # fmt: skip


def test_a_gain_is_the_loss_of_the_baseline(run: RunLayout) -> None:
    gain = choose(find_findings(run, MANIFESTS), "gather-8", run)
    assert (gain.slow, gain.fast, gain.lost) == ("m4", "m5", False)
    assert (gain.ratio, gain.slow_us, gain.fast_us) == (2.0, 1.0, 0.5)
    assert gain.low == pytest.approx(1 / 0.55) and gain.high == pytest.approx(1 / 0.45)


@pytest.mark.parametrize(
    ("name", "chosen"),
    [(None, "allgather-8.m5.m4.p2.n2.packed"), ("allgather-8.m5.m4.p4", "allgather-8.m5.m4.p4.n4.packed")],
)
def test_a_finding_is_named_by_the_beginning_of_its_name(name: str | None, chosen: str, run: RunLayout) -> None:
    assert choose(find_findings(run, MANIFESTS), name, run).name == chosen


def test_an_unknown_finding_is_refused_with_those_that_exist(run: RunLayout) -> None:
    with pytest.raises(FileError, match=r"no finding 'bcas-8', did you mean 'bcast-8'\?; there are allgather-8, bcast"):
        choose(find_findings(run, MANIFESTS), "bcas-8", run)
    with pytest.raises(FileError, match="nothing to reproduce"):
        choose([], None, run)


def test_the_folder_has_program_script_and_report(run: RunLayout) -> None:
    folder, shell, report = written(run)
    assert folder == run.root / "reproduce" / "allgather-8.m5.m4.p2.n2.packed"
    assert sorted(path.name for path in folder.iterdir()) == ["allgather-8.c", "report.md", "run.sh"]
    assert (folder / "run.sh").stat().st_mode & 0o100
    assert '"$slow"/bin/mpicc -O2 -Wall -Werror -o ./slow allgather-8.c' in shell
    assert '    "$fast"/bin/mpiexec -n 2 -ppn 2 ./fast\n    "$slow"/bin/mpiexec -n 2 -ppn 2 ./slow\ndone' in shell
    assert "fast=/opt/m4 # MPICH 4.3.2" in shell
    assert "Ratio 3, 95 % interval [2.7; 3.3]" in report
    assert "| MPICH 5.0.2 | 3 |" in report
    assert "/opt/" not in report
    assert "| processor | A \\| B |" in report
    assert (folder / "allgather-8.c").read_text() in report.replace("```c\n", "").replace("\n```", "\n")
    assert "Why:" not in report


def test_a_cause_is_a_third_command(run: RunLayout) -> None:
    explain(run, causes=[CAUSE], forward=SHARE, backward=SHARE, all_settings=SHARE)
    _, shell, report = written(run)
    assert '    MPIR_X=0 "$slow"/bin/mpiexec -n 2 -ppn 2 ./slow\n' in shell
    assert "MPIR_X=0 mpiexec -n 2 -ppn 2 ./program" in report
    assert "explained to 90 % \\[80; 95\\] by X: 0 → 1" in report


def test_a_remedy_is_one_too(run: RunLayout) -> None:
    remedy = {"settings": {"MPIR_ALGORITHM": "ring"}, "share": SHARE, "costs": []}
    explain(run, verdict="no-setting", all_settings=SHARE, remedy=remedy)
    assert 'MPIR_ALGORITHM=ring "$slow"/bin/mpiexec' in written(run)[1]


def test_nothing_is_set_where_nothing_was_found(run: RunLayout) -> None:
    explain(run, verdict="no-setting", all_settings=SHARE)
    _, shell, report = written(run)
    assert "gives back" not in shell
    assert "by no setting" in report


def test_the_environment_of_a_stack_is_in_its_commands(run: RunLayout) -> None:
    _, shell, report = written(run, "reduce-8")
    assert (
        'OMPI_ALLOW=1 ROOT="$slow" LD_LIBRARY_PATH="$slow"/lib"${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" '
        '"$slow"/bin/mpiexec -n 2 -ppn 2 ./slow'
    ) in shell
    assert "OMPI_ALLOW=1 mpiexec -n 2 -ppn 2 ./program" in report


def test_one_library_under_two_names_is_named_by_its_stacks(run: RunLayout) -> None:
    found = find_findings(run, MANIFESTS)[0]
    twice = {**MANIFESTS, "m5": manifest("m5", "MPICH", "4.3.2")}
    title = make_reproducer(run, campaign(), twice, found).title
    assert title == "MPI_Allgather, 8 bytes, 2 processes: MPICH 4.3.2 (m5) takes 3 times as long as MPICH 4.3.2 (m4)."


def test_a_simulated_stack_is_refused(run: RunLayout) -> None:
    found: Finding = find_findings(run, MANIFESTS)[0]
    simulated = {**MANIFESTS, "m5": manifest("m5", "MPICH", "5.0.2", provenance={"simulation": "SimGrid"})}
    with pytest.raises(FileError, match="cannot be shown by a program: m5 is simulated"):
        make_reproducer(run, campaign(), simulated, found)
