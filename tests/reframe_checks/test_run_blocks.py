# SPDX-License-Identifier: BSD-3-Clause
"""A block from its plan to its raw files, by ReFrame, with a launcher that can fail in every known way."""

from __future__ import annotations

import json
import re
import stat
from pathlib import Path

import pytest

from isochron.common import orphans
from isochron.common.files import FileError
from isochron.common.hashing import sha256
from isochron.reframe_checks import call
from isochron.reframe_checks.__main__ import main
from isochron.reframe_checks.launch import script
from isochron.reframe_checks.run_blocks import run_blocks
from isochron.reframe_checks.run_folder import load_manifests
from isochron.schemas.run.launch_file import read_launch
from isochron.schemas.run.provenance import read_timers
from isochron.schemas.run.state import BlockState
from tests.reframe_checks.conftest import FakeRun, run_block
from tests.reframe_checks.launch.test_node_facts import fake_node

#: What the launcher does, and what the reason must say.
FAULTS = {
    "singletons": r"header\.processes: 1 ranks, but 2 were planned",
    "wrong-ranks": r"header\.processes: 3 ranks, but 2 were planned",
    "truncate": r"no footer",
    "one-host-less": r"header\.hosts: 0 distinct",
    "missing-case": r"allreduce at 64 bytes is missing",
    "other-library": r"'Other MPI v9\.9\.9' was loaded",
    "fails": r"exit code 5 \(an MPI call failed\): rank 1: the network is gone",
}


#: A site that lets ReFrame submit one job at a time.
ONE_JOB = """
site_configuration = {
    "systems": [{"name": "lab", "hostnames": [".*"], "partitions": [
        {"name": "one", "scheduler": "local", "launcher": "local", "environs": ["any"], "max_jobs": 1,
         "processor": {"num_cpus": 2}}]}],
    "environments": [{"name": "any"}],
    "logging": [{"handlers": [], "handlers_perflog": []}],
}
"""


@pytest.fixture(scope="module")
def good_run(tmp_path_factory: pytest.TempPathFactory) -> FakeRun:
    """A block that was run, with variables of another MPI library around it. Not to be changed."""
    run = FakeRun(tmp_path_factory.mktemp("good"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LD_LIBRARY_PATH", "/another/mpi/lib")
        patch.setenv("I_MPI_ROOT", "/another/mpi")
        assert run_block(run.layout.root, "b001") == []
    return run


@pytest.mark.process
def test_a_block_is_run_once_and_completely(good_run: FakeRun) -> None:
    assert good_run.started() == good_run.names
    assert good_run.published() == sorted(good_run.names)
    state = BlockState.load(good_run.layout.block("b001"))
    assert (state.state, state.attempt) == ("complete", 1)
    assert [launch.name for launch in state.launches] == good_run.names
    for number, name in enumerate(good_run.names, start=1):
        path = good_run.layout.launch(name)
        assert stat.S_IMODE(path.stat().st_mode) == 0o444
        facts = dict(read_launch(path).header.launch)
        assert abs(float(facts.pop("launched_at")) - path.stat().st_mtime) < 600
        assert facts == {
            "name": name, "run_id": "run-1", "campaign": "fake", "system": "local", "partition": "local",
            "stack": "fake-1", "mpi_library": "Fake MPI", "mpi_version": "1.2.3",
            "engine_sha256": good_run.manifest.engine_sha256, "processes_per_node": "2", "nodes": "1",
            "placement": "packed", "block": "1", "launch": str(number), "attempt": "1", "oversubscribed": "false",
            "launcher": "stack", "leaked": "",
        }  # fmt: skip


@pytest.mark.process
def test_reframe_logs_the_median_of_each_case(good_run: FakeRun) -> None:
    report = json.loads((good_run.layout.logs / "reframe" / "b001-01" / "report.json").read_text())
    values = report["runs"][0]["testcases"][0]["perfvalues"]
    assert {name.removeprefix("local:local:"): (value[0], value[4]) for name, value in values.items()} == {
        "barrier.0.fake-1.p2.n2": (1.0, "us"),
        "allreduce.8.fake-1.p2.n2": (1.008, "us"),
        "allreduce.64.fake-1.p2.n2": (1.064, "us"),
    }
    assert list((good_run.layout.logs / "reframe" / "b001-01" / "perflogs").rglob("*.log"))


@pytest.mark.process
def test_timers_are_tried_before_the_first_launch(good_run: FakeRun) -> None:
    """A verdict for every timer; a check that fails for another reason than a refusal does not decide."""
    verdicts = read_timers(good_run.layout.attempt("b001", 1) / "timers.txt")
    assert {each.timer: each.verdict for each in verdicts} == {
        "mpi-wtime": "good",
        "clock-gettime": "good",
        "gettimeofday": "coarse",
        "tsc": "refused",
    }


@pytest.mark.process
def test_only_what_is_missing_runs_again(fake_run: FakeRun) -> None:
    """A block that lacks one launch; then one that lacks nothing but the word that it is finished."""
    run_block(fake_run.layout.root, "b001")
    kept = fake_run.layout.launch(fake_run.names[0])
    before = (kept.read_bytes(), kept.stat().st_mtime_ns)
    fake_run.layout.launch(fake_run.names[1]).unlink()
    (fake_run.bin / "started").unlink()
    assert run_block(fake_run.layout.root, "b001") == []
    assert fake_run.started() == [fake_run.names[1]]
    fake_run.layout.block("b001").unlink()
    assert run_block(fake_run.layout.root, "b001") == []
    assert fake_run.started() == [fake_run.names[1]]
    assert fake_run.layout.block("b001").is_file()
    assert (kept.read_bytes(), kept.stat().st_mtime_ns) == before


@pytest.mark.process
def test_a_fault_is_an_error_and_the_next_good_attempt_completes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A launch for each fault, in one block, by the command line; none is in the way of the next."""
    run = FakeRun(tmp_path, launches=len(FAULTS))
    run.mode(" ".join(FAULTS))
    assert main(["blocks", str(run.layout.root), "b001"]) == 1
    failures = capsys.readouterr().err.splitlines()
    assert len(failures) == len(FAULTS)
    for (mode, reason), name, line in zip(FAULTS.items(), run.names, failures, strict=True):
        assert line.startswith(f"{name}: "), mode
        assert re.search(reason, line), f"{mode}: {line}"
        assert Path(line.rsplit(": ", 1)[1]).is_file(), mode
    assert run.published() == []
    assert not run.layout.block("b001").exists()
    assert run.outcome(1)["state"] == "failed"
    run.mode("good")
    assert main(["blocks", str(run.layout.root), "b001"]) == 0
    assert run.published() == sorted(run.names)
    assert BlockState.load(run.layout.block("b001")).attempt == 2


@pytest.mark.process
def test_a_refused_timer_ends_the_block_and_says_which(fake_run: FakeRun) -> None:
    fake_run.mode("false-clock")
    said = "--timer clock-gettime on node0: it runs backwards; take another"
    assert run_block(fake_run.layout.root, "b001") == [f"b001: {said}"]
    assert fake_run.started() == []
    assert {launch["reason"] for launch in fake_run.outcome(1)["launches"]} == {f"the launch was not started: {said}"}
    fake_run.mode("good")
    assert run_block(fake_run.layout.root, "b001") == []


@pytest.mark.process
def test_a_launch_that_was_never_started_has_the_true_reason(
    fake_run: FakeRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    """ReFrame's own, that of the job's script, and that ReFrame was killed: none of them is an interruption."""
    monkeypatch.setattr(call, "ENTRY", ("-c", "import sys; sys.exit('error: the site has no such partition')"))
    (line,) = run_block(fake_run.layout.root, "b001")
    assert line.startswith("b001: ReFrame ran nothing: error: the site has no such partition")
    assert fake_run.outcome(1)["launches"][0]["reason"].startswith("the launch was not started: ReFrame ran nothing")
    monkeypatch.setattr(call, "ENTRY", ("-c", "import os; os.kill(os.getpid(), 9)"))
    (line,) = run_block(fake_run.layout.root, "b001")
    assert line.startswith("b001: ReFrame was ended by SIGKILL")
    functions = script.FUNCTIONS.read_text().replace("date +%s |", "echo 'the scratch disk is full' >&2; exit 7 #")
    (fake_run.bin / "job.sh").write_text(functions)
    change = f"from pathlib import Path; script.FUNCTIONS = Path({str(fake_run.bin / 'job.sh')!r})"
    reframe = f"from isochron.reframe_checks.launch import script; {change}; import sys; sys.exit(main())"
    monkeypatch.setattr(call, "ENTRY", ("-c", f"from isochron.compat.patched_reframe import main; {reframe}"))
    (line,) = run_block(fake_run.layout.root, "b001")
    assert line == "b001: the job ended; its last line is: the scratch disk is full"


@pytest.mark.process
def test_an_exchanged_engine_is_not_started(fake_run: FakeRun) -> None:
    with (fake_run.bin / "isochron-engine").open("a") as engine:
        engine.write("# changed\n")
    failures = run_block(fake_run.layout.root, "b001")
    assert len(failures) == 3
    assert all("exit code 97 (the engine has changed since it was built)" in line for line in failures)
    assert fake_run.started() == []


@pytest.mark.process
def test_a_library_that_was_swapped_after_the_build_starts_nothing(
    fake_run: FakeRun, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nor does one that is gone; back in its place it is taken."""
    library = fake_run.bin / "libmpi.so"
    library.write_bytes(b"as built")
    built = fake_run.manifest.model_copy(update={"library_sha256": {str(library): sha256(library)}})
    built.save(fake_run.layout.manifest("fake-1"))
    library.write_bytes(b"another")
    said = f"stack fake-1: {library} is not the library with which the engine was built"
    assert main(["blocks", str(fake_run.layout.root), "b001"]) == 1
    assert said in capsys.readouterr().err
    library.unlink()
    with pytest.raises(FileError, match=re.escape(said)):
        load_manifests(fake_run.layout, fake_run.block)
    assert fake_run.started() == []
    library.write_bytes(b"as built")
    assert load_manifests(fake_run.layout, fake_run.block) == {"fake-1": built}


@pytest.mark.process
def test_blocks_of_one_call_are_accepted_one_after_another(tmp_path: Path) -> None:
    """One process of ReFrame; each block is published before the next begins, and a failed one is in nobody's way."""
    run = FakeRun(tmp_path, launches=2)
    run.add_blocks("b002", "b003")
    run.mode("good good good fails good good")
    ended = run_blocks(run.layout.root, ["b003", "b001", "b002"])
    assert [(each.block, each.exit) for each in ended] == [("b003", 0), ("b001", 1), ("b002", 0)]
    (line,) = ended[1].lines
    assert "b001.l2: exit code 5 (an MPI call failed): rank 1: the network is gone" in line
    (reframe,) = (run.layout.logs / "reframe").iterdir()
    assert len(json.loads((reframe / "report.json").read_text())["runs"][0]["testcases"]) == 3
    published = [run.layout.launch(f"fake-1.p2.n2.packed.{block}.l1").stat().st_mtime_ns for block in ("b003", "b001")]
    begun = [(run.layout.attempt(block, 1) / "spec.json").stat().st_mtime_ns for block in ("b001", "b002")]
    assert all(before <= after for before, after in zip(published, begun, strict=True))
    assert [len(run.outcome(1, block)["launches"]) for block in ("b001", "b002", "b003")] == [2, 2, 2]
    run.mode("good")
    (run.bin / "started").unlink()
    again = run_blocks(run.layout.root, ["b001", "b002", "b003"], again=True)
    assert [(each.block, each.exit) for each in again] == [("b002", 0), ("b003", 0), ("b001", 0)]
    assert [name[-7:] for name in run.started()] == ["b001.l2"]


@pytest.mark.process
def test_after_processes_that_share_cores_no_block_of_the_call_is_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor by a further attempt of the same call of `isochron run`; the next call tries all again."""
    monkeypatch.setenv("ISOCHRON_FACTS_ROOT", str(fake_node(tmp_path / "node", host="node0", cpus_online="0-1")))
    run = FakeRun(tmp_path, launches=1)
    run.add_blocks("b002", "b003")
    run.mode("good shared-cores good")
    names = ["b001", "b002", "b003"]
    first = run_blocks(run.layout.root, names)
    assert [(each.block, each.exit) for each in first] == [("b001", 0), ("b002", 1), ("b003", 1)]
    assert "b002.l1: header.bindings: processes share cores, and the node has enough: 2 processes" in first[1].lines[0]
    assert first[2].lines == ["b003: not started, since processes of b002 shared cores"]
    again = run_blocks(run.layout.root, names[1:], again=True)
    assert [each.lines for each in again] == [each.lines for each in first[1:]]
    assert [name[-7:] for name in run.started()] == ["b001.l1", "b002.l1"]
    run.mode("good")
    assert {each.exit for each in run_blocks(run.layout.root, names)} == {0}
    assert [name[-7:] for name in run.started()[2:]] == ["b002.l1", "b003.l1"]


@pytest.mark.process
def test_blocks_at_the_same_time(tmp_path: Path) -> None:
    """Each waits for the launch of the other, whatever ReFrame's configuration says of the number of jobs."""
    run = FakeRun(tmp_path, launches=1)
    run.add_blocks("b002")
    run.mode("meets")
    changed = run.campaign.model_dump(mode="json", by_alias=True)
    config = run.layout.root / "site.py"
    config.write_text(ONE_JOB)
    site = {"reframe_config": str(config), "parallel_blocks": 2}
    run.layout.campaign.write_text(json.dumps(changed | {"site": site}))
    ended = run_blocks(run.layout.root, ["b001", "b002"])
    assert sorted((each.block, each.exit) for each in ended) == [("b001", 0), ("b002", 0)]
    assert len(run.published()) == 2


@pytest.mark.process
def test_what_the_budget_does_not_allow_is_not_begun(tmp_path: Path) -> None:
    run = FakeRun(tmp_path, launches=1)
    run.add_blocks("b002", "b003")
    changed = run.campaign.model_dump(mode="json", by_alias=True)
    run.layout.campaign.write_text(json.dumps(changed | {"limits": {"launch_seconds": 20, "node_hours": 1}}))
    *blocks, last = run.plan.blocks
    long = [launch.model_copy(update={"seconds": 1e9}) for launch in last.launches]
    run.plan.model_copy(update={"blocks": [*blocks, last.model_copy(update={"launches": long})]}).save(run.layout.plan)
    ended = run_blocks(run.layout.root, ["b001", "b002", "b003"])
    assert ended[0].exit == 0
    assert ended[-1].exit == 4
    assert "b003: not started: limits.node_hours = 1: " in ended[-1].lines[0]
    assert not run.layout.attempts("b003").exists()


@pytest.mark.process
def test_a_launcher_that_is_gone(fake_run: FakeRun) -> None:
    (fake_run.bin / "mpiexec").unlink()
    assert all("exit code 127" in line for line in run_block(fake_run.layout.root, "b001"))


@pytest.mark.process
def test_a_launch_that_hangs_is_ended_and_leaves_nothing(fake_run: FakeRun) -> None:
    changed = fake_run.campaign.model_dump(mode="json", by_alias=True) | {"limits": {"launch_seconds": 1}}
    fake_run.layout.campaign.write_text(json.dumps(changed))
    fake_run.mode("hangs")
    failures = run_block(fake_run.layout.root, "b001")
    assert all("exit code 124 (not finished within limits.launch_seconds)" in line for line in failures)
    assert len(failures) == 3


@pytest.mark.process
def test_what_outlives_its_launch_is_ended_before_the_next(fake_run: FakeRun) -> None:
    fake_run.mode("survivor")
    assert run_block(fake_run.layout.root, "b001") == []
    assert orphans.find(str(fake_run.layout.root / "attempts")) == []


@pytest.mark.parametrize(
    ("name", "message"),
    [("b009", "unknown block 'b009'; the plan has b001\n"), ("b001", "fake-1.json: cannot be read")],
)
@pytest.mark.process
def test_what_the_command_line_says(
    fake_run: FakeRun, capsys: pytest.CaptureFixture[str], name: str, message: str
) -> None:
    fake_run.layout.manifest("fake-1").unlink()
    assert main(["blocks", str(fake_run.layout.root), name]) == 1
    assert message in capsys.readouterr().err
