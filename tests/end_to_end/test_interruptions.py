# SPDX-License-Identifier: BSD-3-Clause
"""Whatever is killed, the next `isochron run` completes and every launch is in the store once.

Each test starts from a copy of a finished run from which the last blocks were taken away.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from isochron.reframe_checks.launch.segments import FOLDER, PREFIX, block_segments
from isochron.schemas.run.block_spec import BlockSpec
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.state import RunState
from tests.end_to_end.conftest import (
    MINI,
    Place,
    assert_every_launch_is_stored_once,
    copied,
    processes_of,
    without,
)

pytestmark = pytest.mark.mpi


def building(run: RunLayout) -> bool:
    return (run.logs / "build-openmpi-5.0.log").exists() or (run.logs / "build-mpich-5.0.log").exists()


def segments(run: RunLayout) -> list[str]:
    """The shared memory of turns that the run has on this machine."""
    blocks = [block_segments(run.attempts(f"b00{number}")) for number in (1, 2, 3)]
    return [path.name for block in blocks for path in FOLDER.glob(f"{PREFIX}{block}*")]


def in_a_session(run: RunLayout) -> bool:
    """Both libraries and the candle measure in turns."""
    return any("-b003-" in name for name in segments(run))


def is_driven(run: RunLayout) -> bool:
    return RunState.load(run.state).state == "running"


def between_blocks(run: RunLayout) -> bool:
    return run.block("b002").exists() and not run.block("b003").exists()


def in_post_processing(run: RunLayout) -> bool:
    return (run.logs / "ingest.log").exists()


#: The moments, with the blocks that are still to be measured then.
MOMENTS: dict[Callable[[RunLayout], bool], list[str]] = {
    in_a_session: ["b003"],
    between_blocks: ["b002", "b003"],
    in_post_processing: [],
}


def wait_until(moment: Callable[[RunLayout], bool], place: Place, seconds: float = 300) -> RunLayout:
    """The run, as soon as the moment has come."""
    latest = place.folder / "results" / "mini" / "latest"
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if latest.exists() and moment(place.run):
            return place.run
        time.sleep(0.005)
    pytest.fail(f"the moment '{moment}' did not come within {seconds} s")


def kill_all(run: RunLayout, leader: int) -> None:
    """kill -9 of the whole tree, again until nothing is left."""
    for _ in range(50):
        alive = {pid for pid in processes_of(run.root, leader) if is_running(pid)}
        if not alive:
            return
        for pid in alive:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.02)
    pytest.fail("some process of the run cannot be killed")


def is_running(pid: int) -> bool:
    """Whether the process still runs (a zombie does not)."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


@contextmanager
def held(driver: subprocess.Popen[bytes]) -> Iterator[None]:
    """Stop the driver and all that it has started, so that no moment of its run passes meanwhile."""
    os.killpg(driver.pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.killpg(driver.pid, signal.SIGCONT)


@pytest.fixture
def here(finished: Place, tmp_path: Path) -> Place:
    """A copy of the finished place, to be taken apart."""
    return copied(finished, tmp_path / "here")


def killed_at(moment: Callable[[RunLayout], bool], place: Place, *words: str) -> RunLayout:
    """kill -9 of the driver and all that it has started, at that moment."""
    driver = place.start("run", "mini.yaml", *words)
    run = wait_until(moment, place)
    kill_all(run, driver.pid)
    driver.wait()
    assert RunState.load(run.state).state == "running", "killed before it could say anything else"
    return run


@pytest.mark.parametrize(
    "moment",
    [*(pytest.param(moment, marks=pytest.mark.slow) for moment in (in_a_session, between_blocks)), in_post_processing],
    ids=lambda moment: moment.__name__,
)
def test_kill_9_of_the_whole_tree(moment: Callable[[RunLayout], bool], here: Place) -> None:
    without(here, *MOMENTS[moment])
    run = killed_at(moment, here)
    again = here.isochron("run", "mini.yaml") if moment is in_post_processing else here.stored()
    assert again.returncode == 0, again.stdout + again.stderr
    assert here.run.run_id == run.run_id, "a new run was started instead of going on"
    assert_every_launch_is_stored_once(run)
    assert not segments(run), "that of the killed session was removed"
    assert run.report.exists() == (moment is in_post_processing)


def test_kill_9_of_the_whole_tree_while_it_builds(place: Place) -> None:
    """Engines are compiled, as in a first run: the cache of engines does not count."""
    place.write(replication={"blocks": 1, "launches_per_block": 1})
    run = killed_at(building, place, "--rebuild")
    again = place.stored()
    assert again.returncode == 0, again.stdout + again.stderr
    assert place.run.run_id == run.run_id, "a new run was started instead of going on"
    assert_every_launch_is_stored_once(run)


def test_a_second_driver_is_refused_ctrl_c_stops_everything_and_a_killed_driver_leaves_nothing(here: Place) -> None:
    """Ctrl-C in a session, then kill -9 of the driver alone in the next one, and the third call completes."""
    run = without(here, "b003")
    driver = here.start("run", "mini.yaml")
    wait_until(is_driven, here)
    with held(driver):
        second = here.isochron("run", "mini.yaml")
    assert second.returncode == 2
    assert f"process {driver.pid} on" in second.stderr
    assert "is running this campaign" in second.stderr
    wait_until(in_a_session, here)
    os.kill(driver.pid, signal.SIGINT)
    assert driver.wait(120) == 130
    assert RunState.load(run.state).state == "interrupted"
    assert processes_of(run.root, 0) <= {0}, "a process of the run is still there"
    assert not segments(run)

    driver = here.start("run", "mini.yaml")
    wait_until(in_a_session, here)
    driver.kill()
    driver.wait()
    again = here.stored()
    assert again.returncode == 0, again.stdout + again.stderr
    assert_every_launch_is_stored_once(run)
    assert processes_of(run.root, 0) <= {0}
    assert not segments(run)


def residents(run: RunLayout, block: str) -> dict[str, list[int]]:
    """The processes that take turns in a session of a block, by the launch's name."""
    segment = f"{PREFIX}{block_segments(run.attempts(block))}"
    found: dict[str, list[int]] = {}
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError, IndexError):
            if segment in (entry / "maps").read_text():
                environment = (entry / "environ").read_bytes().decode(errors="replace")
                name = environment.split("ISOCHRON_LAUNCH=")[1].split("\0")[0].rpartition("/")[2]
                found.setdefault(name, []).append(int(entry.name))
    return found


def test_a_resident_that_is_killed_costs_its_own_launch(here: Place) -> None:
    """The others of the session complete, and the next call measures the rest, alone."""
    run = without(here, "b003")
    here.write(limits={**MINI["limits"], "retries": 0})
    killed, other = (f"{stack}.p2.n2.packed.b003.l1" for stack in ("openmpi-5.0", "mpich-5.0"))
    driver = here.start("run", "mini.yaml", "--until", "store")
    wait_until(lambda latest: {killed, other} <= residents(latest, "b003").keys(), here)
    os.kill(min(residents(run, "b003")[killed]), signal.SIGKILL)
    assert driver.wait(300) == 1
    assert sorted(path.stem for path in run.launches.glob("*b003*.jsonl")) == [other]
    assert not segments(run)
    kept = run.launch(other).stat().st_mtime_ns
    assert here.stored().returncode == 0
    assert_every_launch_is_stored_once(run)
    assert run.launch(other).stat().st_mtime_ns == kept
    spec = BlockSpec.load(run.attempt("b003", 2) / "spec.json")
    assert [(launch.name, launch.turn) for launch in spec.launches] == [(killed, [])]
