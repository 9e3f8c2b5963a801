# SPDX-License-Identifier: BSD-3-Clause
"""The candle without a launcher: what it measures, how its processes find and lose each other, and what it refuses."""

import fcntl
import os
import re
import struct
import subprocess
import uuid
from collections.abc import Callable
from pathlib import Path

import pytest

from isochron.reframe_checks.launch.segments import CANDLE_PREFIX, remove_segments
from isochron.schemas.engine.contract import OPERATIONS, WITHOUT_DATA
from isochron.schemas.run.candle import read_candle
from tests.engine.candle.processes import Processes

pytestmark = pytest.mark.process

Run = Callable[..., subprocess.CompletedProcess[str]]

WORDS = ("--operations", "barrier,bcast,allreduce", "--sizes", "8,20KiB", "--batch", "4", "--output", "out.jsonl")
TURNS = (*WORDS, "--turns", "a")


def left_files() -> list[str]:
    return [path.name for path in Path("/dev/shm").glob(f"{CANDLE_PREFIX}*")]


def test_every_operation_of_the_engine_has_a_kernel(run_candle: Run) -> None:
    """In the order of the engine, which is that of the cases in a file."""
    lines = [line.split() for line in run_candle("--list").stdout.splitlines()]
    assert [name for name, _ in lines] == list(OPERATIONS)
    kernels = dict(lines)
    assert kernels["iallgatherv"] == kernels["allgather_init"] == "allgather"
    assert kernels["multi-ping-pong"] == "ping-pong-all" and kernels["transfer-1"] == "ping-pong"
    assert {name for name in OPERATIONS if kernels[name] == "nothing"} == {
        "wait-pattern-up", "wait-pattern-down", "wait-pattern-null", "basic-timer", "pack", "unpack",
    }  # fmt: skip


def test_the_cases_are_those_of_the_engine(processes: Processes) -> None:
    """Operations in its order whatever the order of the option; what has no data is measured once, at 0 bytes."""
    names = [*reversed(OPERATIONS)]
    words = ("--operations", ",".join(names), "--sizes", "64,8", "--batch", "4", "--output", "out.jsonl")
    assert [done.code for done in processes.run(2, *words)] == [0, 0]
    file = read_candle(processes.folder / "out.jsonl")
    sizes = {name: [0] if name in WITHOUT_DATA else [64, 8] for name in OPERATIONS}
    assert [(case.operation, case.bytes) for case in file.cases] == [
        (name, size) for name in OPERATIONS for size in sizes[name]
    ]


def test_processes_of_one_node(processes: Processes) -> None:
    words = [*WORDS, "--passes", "3", "--expect-ranks", "3", "--append-header", "stack=candle", "note=a=b"]
    assert [(done.code, done.err) for done in processes.run(3, *words)] == [(0, "")] * 3
    header = read_candle(processes.folder / "out.jsonl").header
    assert (header.processes, header.passes, header.batch, header.turns) == (3, 3, 4, None)
    assert header.launch == {"stack": "candle", "note": "a=b"}
    assert [host.ranks for host in header.hosts] == ["0-2"]
    assert [sorted(binding) for binding in header.bindings] == [["cpus", "host", "ranks"]]
    assert header.bindings[0]["ranks"] == "0-2"


@pytest.mark.parametrize("lost", ["0", "0.05"])
def test_processes_of_two_nodes(processes: Processes, lost: str) -> None:
    """Two hosts are pretended, and some datagrams are lost between them; nothing is left of the rendezvous."""
    (processes.folder / "meeting").mkdir()
    words = [*WORDS, "--rendezvous", "meeting", "--test-nodes", "2", "--test-lost", lost]
    assert [(done.code, done.err) for done in processes.run(3, *words)] == [(0, "")] * 3
    file = read_candle(processes.folder / "out.jsonl")
    assert [host.ranks for host in file.header.hosts] == ["0-1", "2"]
    assert [(case.operation, case.bytes) for case in file.cases] == [
        ("barrier", 0), ("bcast", 8), ("bcast", 20480), ("allreduce", 8), ("allreduce", 20480),
    ]  # fmt: skip
    assert list((processes.folder / "meeting").iterdir()) == []


def test_a_missing_process_is_named(processes: Processes) -> None:
    processes.start(0, 2, *WORDS, "--patience", "0.3")
    (done,) = processes.end()
    host = re.escape(Path("/proc/sys/kernel/hostname").read_text().strip())
    assert done.code == 5
    assert re.fullmatch(
        rf"isochron-candle: after 0\.3 s {host} knows 1 of 2 processes; rank 1, for one, is missing; "
        r"with several nodes give --rendezvous FOLDER\n",
        done.err,
    )
    assert not (processes.folder / "out.jsonl").exists()


def start_two_that_measure(processes: Processes) -> None:
    """They would take minutes; on return they have met: the file of shared memory has lost its name."""
    words = ("--operations", "bcast", "--sizes", "8", "--batch", "10000", "--passes", "1000", "--output", "out.jsonl")
    for rank in range(2):
        processes.start(rank, 2, *words, "--patience", "0.5")
    while "(deleted)" not in Path(f"/proc/{processes.started[0].pid}/maps").read_text():
        assert processes.started[0].poll() is None


def test_a_killed_process_ends_the_others(processes: Processes) -> None:
    """Within the patience, without a file."""
    start_two_that_measure(processes)
    processes.started[1].kill()
    first, second = processes.end()
    assert second.code == -9 and first.code == 5
    assert first.err == "isochron-candle: rank 0 waited 0.5 s for rank 1; ended\n"
    assert not (processes.folder / "out.jsonl").exists()


def test_a_candle_that_hangs_loses_its_turn(candle: Path, tmp_path: Path) -> None:
    """One of two in turns loses a process: what remains of it is ended by the limit, and the other one completes."""
    name, both = f"test-{uuid.uuid4().hex[:12]}", [Processes(candle, tmp_path) for _ in range(2)]
    words = ("--operations", "barrier", "--batch", "4", "--passes", "1000", "--turns", name, "--turn-limit", "2")
    for index, processes in enumerate(both):
        for rank in range(2):
            processes.start(rank, 2, *words, "--turn", f"{index}/2", "--output", f"{index}.jsonl")
    while "(deleted)" not in Path(f"/proc/{both[0].started[0].pid}/maps").read_text():
        assert both[0].started[0].poll() is None
    both[0].started[1].kill()
    (hangs, killed), completes = both[0].end(), both[1].end()
    assert (hangs.code, killed.code) == (6, -9)
    assert re.fullmatch(r"isochron: turn \d+ of --turn 0/2 took longer than (2|12) s; ended\n", hangs.err), hangs.err
    assert [(done.code, done.err) for done in completes] == [(0, "")] * 2
    assert len(read_candle(tmp_path / "1.jsonl").cases[0].median_ns) == 1000 and not (tmp_path / "0.jsonl").exists()
    assert not Path(f"/dev/shm/isochron-turns-{name}").exists()


def test_shared_memory_that_is_gone_is_named(processes: Processes) -> None:
    """As when /dev/shm is full: the system ends who uses memory that the file does not have."""
    start_two_that_measure(processes)
    files = Path(f"/proc/{processes.started[0].pid}/fd")
    (memory,) = [file for file in files.iterdir() if "/isochron-candle-" in str(file.readlink())]
    os.truncate(memory, 0)
    line = "isochron-candle: /dev/shm has no room for messages; enlarge it\n"
    assert [(done.code, done.err) for done in processes.end()] == [(5, line)] * 2


def test_what_a_killed_launch_left_is_used_again(processes: Processes) -> None:
    """The same command once more, after a process was killed while it waited for the others."""
    before = left_files()
    processes.start(0, 2, *WORDS)
    while left_files() == before:
        assert processes.started[0].poll() is None
    processes.kill()
    assert left_files() != before
    assert [done.code for done in processes.run(2, *WORDS)] == [0, 0]
    assert left_files() == before


def await_meeting_file(processes: Processes, *words: str, size: int = 2) -> Path:
    """Start rank 0, which waits for others; the file in which they are to meet."""
    process = processes.start(0, size, *WORDS, *words)
    maps = Path(f"/proc/{process.pid}/maps")
    while not (found := re.findall(rf"(/\S*{CANDLE_PREFIX}\S*)", maps.read_text())):
        assert process.poll() is None
    return Path(found[0])


def meeting_file(processes: Processes, *words: str) -> Path:
    """The same, as a killed process leaves it."""
    path = await_meeting_file(processes, *words)
    processes.kill()
    return path


def test_a_file_that_others_may_write_to_is_refused(processes: Processes) -> None:
    path = meeting_file(processes)
    path.chmod(0o666)
    message = f"isochron-candle: {path}: others may write to it (mode 666); remove it\n"
    assert [(done.code, done.err) for done in processes.run(2, *WORDS)] == [(3, message)] * 2
    path.unlink()


def test_a_lock_that_is_not_released_is_waited_for_within_the_patience(processes: Processes) -> None:
    path = meeting_file(processes, "--patience", "0.3")
    with path.open("r+") as stream:
        fcntl.fcntl(stream, fcntl.F_OFD_SETLK, struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, 0, 1, 0))
        (done,) = processes.run(1, *WORDS, "--patience", "0.3")
    assert (done.code, done.err) == (3, f"isochron-candle: {path}: locked by a process that does not go on; end it\n")
    path.unlink()


@pytest.mark.parametrize("offset", [8, 12, 16], ids=["local_count", "hosts", "members"])
def test_a_meeting_that_another_program_changes(processes: Processes, offset: int) -> None:
    """While the first process waits for others: counts, indices and texts in the file are checked."""
    path = await_meeting_file(processes, size=3)
    with path.open("r+b") as stream:
        stream.seek(offset)
        stream.write(b"\xff" * (path.stat().st_size - offset if offset == 16 else 4))
        stream.seek(0)
        stream.write(b"\x01\0\0\0")  # complete: others go on at once
    _, err = processes.start(1, 3, *WORDS).communicate(timeout=200)
    assert err == f"isochron-candle: {path}: another program has changed it; end that and start again\n"
    assert processes.started[1].returncode == 3
    path.unlink()


def test_what_killed_candles_left_is_removed_unless_it_is_used(processes: Processes, tmp_path: Path) -> None:
    """By the end of a block (run_block.py), whatever its age."""
    path = await_meeting_file(processes)
    remove_segments(tmp_path / "run" / "attempts" / "b001")
    assert path.exists() and processes.started[0].poll() is None, "it waits for rank 1, and holds the lock"
    processes.kill()
    assert path.exists()
    remove_segments(tmp_path / "run" / "attempts" / "b001")
    assert not path.exists()


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("--expect-ranks", "2", *WORDS), 3,
         "--expect-ranks 2, but the launcher started 1 (no variable of a launcher that is known here); "
         "check its number of processes"),
        (WORDS[2:], 2, "--operations is missing; --list prints all operations"),
        (WORDS[:-2], 2, "--output is missing; name a new file"),
        (("--operations", "bcast", "--output", "x"), 2, "--sizes is missing; write for example 8,1KiB"),
        (("--operations", "bcast,bcasts", *WORDS[2:]), 2, "--operations: 'bcasts' is not an operation; see --list"),
        (("--operations", "bcast,", *WORDS[2:]), 2,
         "--operations 'bcast,': empty or repeated name; write for example bcast,reduce"),
        ((*WORDS, "--sizes", "8"), 2, "--sizes: given twice; give it once"),
        ((*WORDS, "--batch", "3"), 2, "--batch: given twice; give it once"),
        ((*WORDS, "--passes", "0"), 2, "--passes '0': give an integer from 1 to 1000"),
        ((*WORDS, "--passes"), 2, "--passes: value missing; give N"),
        (TURNS, 2, "--turns: --turn is missing; give I/N, the index and the number of residents"),
        ((*WORDS, "--turn", "0/2"), 2, "--turn: only valid with --turns; add that or remove this"),
        ((*TURNS, "--turn", "2/2"), 2, "--turn '2/2': give I/N, N from 2 to 32 and I from 0 to N - 1"),
        ((*TURNS, "--turn", "0/2", "--turn-last", "2"), 2, "--turn-last 2: with 2 residents give -1 to 1"),
        ((*WORDS, "--append-header", "stack"), 2, "--append-header 'stack': give K=V, K of at most 100 characters"),
        ((*WORDS, "--append-header", "a=1", "a=2"), 2, "--append-header: 'a' given twice; give it once"),
        ((*WORDS, "--colour"), 2, "unknown option '--colour'; --help prints all options"),
    ],
)  # fmt: skip
def test_one_clear_message(run_candle: Run, words: tuple[str, ...], code: int, message: str) -> None:
    done = run_candle(*words)
    assert (done.returncode, done.stderr) == (code, f"isochron-candle: {message}\n")


@pytest.mark.parametrize(
    ("launcher", "message"),
    [
        ({"OMPI_COMM_WORLD_RANK": "0", "OMPI_COMM_WORLD_SIZE": "3", "PMI_RANK": "0", "PMI_SIZE": "2"}, "started 3"),
        ({"PMI_RANK": "0", "PMI_SIZE": "4", "SLURM_PROCID": "0", "SLURM_STEP_NUM_TASKS": "2"}, "started 4"),
        ({"FLUX_TASK_RANK": "0", "FLUX_JOB_SIZE": "5"}, "started 5"),
        ({"JSM_NAMESPACE_RANK": "0", "JSM_NAMESPACE_SIZE": "6"}, "started 6"),
        ({"SLURM_PROCID": "0", "SLURM_STEP_NUM_TASKS": "7"}, "started 7"),
        ({"PMI_RANK": "3", "PMI_SIZE": "3"}, "the launcher's variables make this rank 3 of 3 processes"),
    ],
)
def test_the_variables_of_launchers(run_candle: Run, launcher: dict[str, str], message: str) -> None:
    """The innermost launcher counts: within a job of Slurm, processes of mpiexec have Slurm's variables too."""
    done = run_candle(*WORDS, "--expect-ranks", "2", **launcher)
    assert done.returncode == 3 and message in done.stderr, done.stderr


def test_a_rank_without_a_size(run_candle: Run) -> None:
    done = run_candle(*WORDS, PMIX_RANK="0")
    assert (done.returncode, done.stderr) == (
        3, "isochron-candle: PMIX_RANK is set, but no number of processes; give --expect-ranks\n",
    )  # fmt: skip
    assert run_candle(*WORDS, "--expect-ranks", "1", PMIX_RANK="0").returncode == 0


def test_an_existing_file_is_not_overwritten(run_candle: Run, tmp_path: Path) -> None:
    (tmp_path / "out.jsonl").write_text("kept")
    assert run_candle(*WORDS).stderr == "isochron-candle: --output 'out.jsonl' exists; name a new file\n"
    assert (tmp_path / "out.jsonl").read_text() == "kept"
