# SPDX-License-Identifier: BSD-3-Clause
"""One driver for a run; a killed one leaves no lock, and what it left running is ended."""

from __future__ import annotations

import dataclasses
import errno
import fcntl
import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from isochron.common.files import FileError, lock
from isochron.schemas.run.layout import RunLayout, run_folders
from isochron.workflows.driving import lock as lock_module
from isochron.workflows.driving.lock import RUN_VARIABLE, STALE_S, Holder, Lost, end_survivors, is_locked, run_lock
from tests.workflows.conftest import CampaignFile

HOLD = """
import sys, time
from pathlib import Path
from isochron.workflows.driving.lock import run_lock
from isochron.schemas.run.layout import RunLayout
with run_lock(RunLayout(Path(sys.argv[1]))):
    print("held", flush=True)
    time.sleep(3600)
"""

#: `isochron run` up to Snakemake, which takes until the file `go` exists; each looks for a run to continue when the
#: other does, unless one of them waits.
START = """
import sys, time
from pathlib import Path
from isochron.cli.main import main
from isochron.workflows import runs
from isochron.workflows.driving import run

def wait(end, seconds):
    limit = time.monotonic() + seconds
    while not end() and time.monotonic() < limit:
        time.sleep(0.01)

find = runs.run_to_continue

def look(results, plan):
    found = find(results, plan)
    Path("looked-" + sys.argv[1]).touch()
    wait(lambda: len(list(Path().glob("looked-*"))) == 2, 1)
    return found

runs.run_to_continue = look
run._snakemake = lambda *_: wait(Path("go").exists, 60) or 1
sys.exit(main(["run", "campaign.yaml", "--quiet"]))
"""


@pytest.fixture
def run(tmp_path: Path) -> RunLayout:
    return RunLayout(tmp_path.resolve())


def holder(run: RunLayout) -> subprocess.Popen[str]:
    child = subprocess.Popen([sys.executable, "-c", HOLD, str(run.root)], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    assert child.stdout.readline() == "held\n"
    return child


def silence(message: str) -> int:
    """Return the seconds since the last heartbeat that a message states: however long this machine takes."""
    found = re.search(r"\(last heartbeat (\d+) s ago\)", message)
    assert found is not None, message
    return int(found[1])


@pytest.mark.process
def test_a_held_lock_names_its_holder_and_dies_with_it(run: RunLayout) -> None:
    child = holder(run)
    try:
        assert is_locked(run) is not None
        with pytest.raises(FileError, match=f"process {child.pid} on .* is running this campaign"), run_lock(run):
            pass
    finally:
        child.send_signal(signal.SIGKILL)
        child.communicate()
    assert is_locked(run) is None
    with run_lock(run):
        assert is_locked(run) is not None


def test_a_run_that_was_never_driven_is_not_locked(run: RunLayout) -> None:
    assert is_locked(run) is None


def written(run: RunLayout, **changes: object) -> Path:
    """A lock file that no kernel lock holds, as other file systems show it."""
    path = run.root / ".lock"
    dataclasses.replace(Holder.this_process(run.root), **changes).write(path)  # type: ignore[arg-type]
    return path


STALE: dict[str, dict[str, object]] = {
    "the process is gone": {"pid": 2**22 - 1},
    "its number belongs to another process": {"started": "1"},
    "the machine was started again": {"boot": "another boot"},
    "the folder is a copy": {"folder": "/somewhere/else"},
}


@pytest.mark.parametrize("changes", STALE.values(), ids=STALE.keys())
def test_a_stale_lock_is_taken_over(run: RunLayout, changes: dict[str, object]) -> None:
    written(run, **changes)
    assert is_locked(run) is None
    with run_lock(run) as lock:
        assert re.search(r"process \d+ on .* held this run and has ended \(last heartbeat \d+ s ago\)", lock.message)
        assert is_locked(run) == f"process {os.getpid()} on {Holder.this_process(run.root).host}"
    assert (run.root / ".lock").read_text() == "", "a released lock names nobody"


def test_a_damaged_lock_is_nobodys(run: RunLayout) -> None:
    """A changed bit in the name of this machine would make another one of it, whose heartbeat is waited for."""
    path = written(run)
    name = Holder.this_process(run.root).host
    path.write_text(path.read_text().replace(f'"host": "{name}"', f'"host": "{name}x"'))
    assert is_locked(run) is None
    with run_lock(run):
        pass


def test_a_living_holder_is_reliable_where_flock_does_not_reach(run: RunLayout) -> None:
    written(run)
    assert is_locked(run) is not None
    with pytest.raises(FileError, match="is running this campaign"), run_lock(run):
        pass


def test_a_holder_on_another_machine_lives_as_long_as_its_heart_beats(run: RunLayout) -> None:
    path = written(run, host="login2", boot="its own", pid=4711)
    refusal = r"process 4711 on login2 is running this campaign \(last heartbeat \d+ s ago\)"
    with pytest.raises(FileError, match=refusal), run_lock(run):
        pass
    long_ago = time.time() - STALE_S - 60
    os.utime(path, (long_ago, long_ago))
    assert is_locked(run) is None
    with run_lock(run) as lock:
        assert "process 4711 on login2 held this run and has ended" in lock.message
        assert silence(lock.message) >= STALE_S + 60


def test_the_holder_gives_signs_of_life(run: RunLayout, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isochron.workflows.driving.lock.BEAT_S", 0.0)
    with run_lock(run) as lock:
        os.utime(lock.path, (1, 1))
        while lock.path.stat().st_mtime <= 1:
            time.sleep(0.001)
        lock.check()
    assert lock.path.read_text() == ""


def test_a_holder_whose_lease_was_taken_over_stops_and_leaves_it(run: RunLayout) -> None:
    """It was suspended for longer than others wait."""
    with pytest.raises(Lost, match="process 4711 on login2 has taken over this run"), run_lock(run) as lock:
        lock.check()
        theirs = written(run, host="login2", pid=4711).read_text()
        lock.check()
    assert (run.root / ".lock").read_text() == theirs


def test_in_another_container_on_this_machine_only_the_heartbeat_tells(run: RunLayout) -> None:
    path = written(run, namespace="pid:[1]", pid=2**22 - 1)
    assert is_locked(run) is not None
    os.utime(path, (1, 1))
    assert is_locked(run) is None


@pytest.fixture
def no_flock(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file system without locks, as some shared ones are, and nobody who begins at the same time."""

    def flock(_file: object, _how: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", flock)
    monkeypatch.setattr(lock_module, "SETTLE_S", 0.0)


#: The same for a driver in another process.
NO_FLOCK = """
import errno, fcntl
from isochron.workflows.driving import lock
def flock(file, how): raise OSError(errno.ENOLCK, "No locks available")
fcntl.flock, lock.SETTLE_S = flock, 0.0
"""


@pytest.mark.process
@pytest.mark.parametrize("carried", [True, False], ids=["flock", "no flock"])
def test_two_drivers_on_two_hosts(run: RunLayout, carried: bool, request: pytest.FixtureRequest) -> None:
    """A host of its own name and process numbers, by namespaces; where flock does not reach it the lease decides."""
    if not carried:
        request.getfixturevalue("no_flock")
    unshared = ["unshare", "--uts", "--pid", "--fork", "--kill-child", "--mount-proc"]
    inside = ["sh", "-c", 'hostname login2 && exec "$@"', "sh"]
    if subprocess.run([*unshared, *inside, "true"], capture_output=True, check=False).returncode:
        pytest.skip("needs the right to make namespaces")
    program = HOLD if carried else NO_FLOCK + HOLD
    other = subprocess.Popen(
        [*unshared, *inside, sys.executable, "-c", program, str(run.root)], stdout=subprocess.PIPE, text=True
    )
    assert other.stdout is not None and other.stdout.readline() == "held\n"
    refusal = r"process 1 on login2 is running this campaign \(last heartbeat \d+ s ago\); wait for it, or stop it"
    try:
        with pytest.raises(FileError, match=refusal), run_lock(run):
            pass
    finally:
        other.kill()
        other.communicate()
    path = run.root / ".lock"
    assert Holder.read(path) is not None, "a killed driver has not released its lease"
    if not carried:
        assert is_locked(run) == "process 1 on login2", "nobody can know yet"
    silent_since = time.time() - STALE_S - 1
    os.utime(path, (silent_since, silent_since))
    with run_lock(run) as lock:
        assert lock.message.startswith("process 1 on login2 held this run and has ended")
        assert silence(lock.message) >= STALE_S
    assert path.read_text() == ""


@pytest.mark.process
def test_survivors_of_this_run_are_ended_and_no_others(run: RunLayout) -> None:
    sleep = [sys.executable, "-c", "import time; time.sleep(3600)"]
    ours = subprocess.Popen(sleep, env={**os.environ, RUN_VARIABLE: str(run.root)}, start_new_session=True)
    other = subprocess.Popen(sleep, env={**os.environ, RUN_VARIABLE: f"{run.root}-other"})
    try:
        _wait_for_environment(ours.pid)
        # a zombie has no environment any more, so what is waited for here has ended
        assert end_survivors(run) == 1
        assert ours.wait(60) == -signal.SIGTERM
        assert other.poll() is None
    finally:
        for child in (ours, other):
            child.kill()
            child.wait()


def _wait_for_environment(pid: int) -> None:
    """Between fork and exec the child still has our environment."""
    while RUN_VARIABLE.encode() not in Path(f"/proc/{pid}/environ").read_bytes():
        pass


def test_a_holder_that_is_just_starting_is_named(run: RunLayout) -> None:
    """It has the kernel's lock, and writes its name a moment later."""
    path, holder = run.root / ".lock", Holder.this_process(run.root)
    with path.open("a+", encoding="utf-8") as stream:
        assert lock(stream, wait=False)
        writer = threading.Timer(0.2, holder.write, [path])
        writer.start()
        with pytest.raises(FileError, match=f"process {os.getpid()} on .* is running this campaign"), run_lock(run):
            pass
        writer.join()


@pytest.mark.process
def test_of_two_processes_that_start_at_the_same_instant_one_measures(
    tmp_path: Path, campaign_file: CampaignFile
) -> None:
    campaign_file(processes=[2], site={})
    calls = [
        subprocess.Popen([sys.executable, "-c", START, name], cwd=tmp_path, stderr=subprocess.PIPE, text=True)
        for name in ("one", "other")
    ]
    try:
        while all(call.poll() is None for call in calls):
            time.sleep(0.01)
        refused = next(call for call in calls if call.returncode is not None)
        assert refused.returncode == 2
        (tmp_path / "go").touch()
        messages = {call.pid: call.communicate()[1] for call in calls}
    finally:
        for call in calls:
            call.kill()
            call.wait()
    assert len(run_folders(tmp_path / "results", "small")) == 1
    (driver,) = (call.pid for call in calls if call is not refused)
    assert f"process {driver} on " in messages[refused.pid] and "is running this campaign" in messages[refused.pid]
