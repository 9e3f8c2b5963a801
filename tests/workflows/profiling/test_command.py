# SPDX-License-Identifier: BSD-3-Clause
"""`isochron profile`."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from pathlib import Path

import pytest

from isochron.cli.main import main
from isochron.common import orphans
from isochron.common.children import python
from isochron.schemas.profile.profile import Profile
from isochron.workflows.profiling.run import VARIABLE, wrapper_beside
from tests.signals import action
from tests.workflows.profiling.conftest import PROGRAMS
from tests.workflows.profiling.files import Made, calls, profile_of

#: `isochron profile` without a compiler.
PROFILED = """
import os, sys
from pathlib import Path
from isochron.workflows.profiling import run
run.build_library = lambda _: Path("library.so").absolute()
wrapper = run.Wrapper("cc", dict(os.environ))
sys.exit(run.run_profiled(["sh", "-c", "sleep 1000 & wait"], wrapper, run.place_for("a")))
"""


def test_what_a_job_has_left_is_read_and_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "ranks").mkdir()
    Made(0, finished=False).write(tmp_path / "ranks")
    monkeypatch.chdir(tmp_path)
    assert main(["profile", "--read", "ranks"]) == 0
    said = capsys.readouterr().out
    assert "solver: 2 processes on 1 nodes, Open MPI v5.0.8" in said
    assert "0 processes reached MPI_Finalize; 1 wrote their counts" in said
    assert Profile.load(tmp_path / "solver.profile.json").classes[0].operation == "bcast"
    assert main(["profile", "--read", "ranks"]) == 2
    assert "solver.profile.json: already exists; give another --name" in capsys.readouterr().err
    assert main(["profile", "--read", "ranks", "--name", "again", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["share"] == "100.0 %"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "profile: the command is missing"),
        (["--read", "x", "--", "a"], "a command after `--` is profiled"),
        (["--read", "none"], "--read none: not a folder"),
        (["--name", "../up", "--", "a"], "--name ../up: use letters"),
        (["--library", "openmpi"], "unknown stack 'openmpi'"),
        (["--library", "smpi-default"], "stack smpi-default: is simulated"),
        (["--mpicc", "no-such-mpicc", "--", "a"], "no-such-mpicc: C compiler not found"),
    ],
)
def test_bad_words_are_refused(
    words: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["profile", *words]) == 2
    assert said in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_the_wrapper_is_the_one_beside_the_launcher(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("mpiexec", "mpicc"):
        (tmp_path / name).touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert wrapper_beside("mpiexec").mpicc == wrapper_beside("srun").mpicc == str(tmp_path / "mpicc")
    (tmp_path / "mpicc").unlink()
    assert main(["profile", "--", "mpiexec"]) == 2


@pytest.mark.parametrize(
    ("threads", "said"),
    [
        ("multiple", "1.5 s in MPI on average per process, summed over threads"),
        ("single", "1.5 s of 1 s in MPI on average per process"),
    ],
)
def test_the_time_of_several_threads_is_no_part_of_the_run(
    threads: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each of them may spend the whole run in MPI."""
    profile = profile_of(calls("bcast", 8, 4, 3.0)).model_copy(update={"threads": threads, "seconds": 1.0})
    monkeypatch.setattr("isochron.cli.profile.merged", lambda _: profile)
    monkeypatch.chdir(tmp_path)
    assert main(["profile", "--read", "."]) == 0
    assert said in capsys.readouterr().out


@pytest.mark.process
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP], ids=lambda each: each.name)
def test_a_profile_that_is_asked_to_end_leaves_no_program(number: signal.Signals, tmp_path: Path) -> None:
    """A shell as the launcher: it ends, and would leave what it has started."""
    (tmp_path / "library.so").touch()
    with action(number):
        child = subprocess.Popen(python("-c", PROFILED), cwd=tmp_path, stderr=subprocess.DEVNULL)
    ranks = str(tmp_path / "a.ranks")
    while len(orphans.find(ranks, mark=VARIABLE)) < 2:
        assert child.poll() is None
        time.sleep(0.01)
    child.send_signal(number)
    assert child.wait(300) == 128 + number
    assert not orphans.find(ranks, mark=VARIABLE)


@pytest.mark.mpi
@pytest.mark.slow
def test_a_program_is_run_and_its_exit_code_handed_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    stack = ["profile", "--stack", "openmpi-5.0"]
    assert main([*stack, "--", "mpicc", "-o", "killed", str(PROGRAMS / "killed.c")]) == 2
    assert "no process wrote a profile" in capfd.readouterr().err
    assert main([*stack, "--", "mpiexec", "-n", "1", "./killed"]) != 0
    profile = Profile.load(tmp_path / "killed.profile.json")
    assert profile.command == ["mpiexec", "-n", "1", "./killed"]
    assert [(each.operation, each.calls) for each in profile.communication] == [("bcast", 1000)]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["killed", "killed.profile.json"]
    assert "1000 calls" in capfd.readouterr().out
