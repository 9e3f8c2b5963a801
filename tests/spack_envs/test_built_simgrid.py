# SPDX-License-Identifier: BSD-3-Clause
"""scripts/install-simgrid.sh with stand-ins for its tools, and which SimGrid is used."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from isochron.common.files import FileError
from isochron.spack_envs.declarations import load_declaration
from isochron.spack_envs.simulated import programs, resolve, simgrid_version
from isochron.spack_envs.toolchain import applied
from isochron.workflows.machine_file import load_machine

pytestmark = pytest.mark.process

SCRIPT = Path(__file__).parents[2] / "scripts" / "install-simgrid.sh"
PINNED = "23ac24cb5b2467f1f051c992ec921b4a9f8f5ac2df16c489bd01bf1c44e6e817"

#: What each tool does in place of its work, and what it writes about that to $CALLS.
TOOLS = {
    "cmake": 'echo cmake >>"$CALLS"; mkdir -p build; : >build/Makefile',
    "make": """echo make >>"$CALLS"; [ ! -e "$CALLS.fail" ] || exit 2
        mkdir -p "$PREFIX/bin"; printf '#!/bin/sh\necho SimGrid version 4.1\n' >"$PREFIX/bin/smpirun"
        cp "$PREFIX/bin/smpirun" "$PREFIX/bin/smpicc"; chmod +x "$PREFIX"/bin/*""",
    "cc": ":",
    "c++": ":",
    "python3": """case "$3" in
        hash) echo "--hash=sha256:$(cat "$4.sum")" ;;
        download) echo download >>"$CALLS"; mkdir -p s/simgrid-4.1; tar czf simgrid-4.1.tar.gz -C s simgrid-4.1
            echo "$SUM" >simgrid-4.1.tar.gz.sum ;;
        esac""",
}
#: What the script takes from the system.
SYSTEM = ("cat", "chmod", "cp", "flock", "gzip", "mkdir", "rm", "sh", "tail", "tar")


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """A machine with those tools only."""
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in SYSTEM:
        (path,) = [folder for folder in ("/usr/bin", "/bin") if (Path(folder) / name).exists()][:1]
        (tools / name).symlink_to(Path(path) / name)
    for name, body in TOOLS.items():
        (tools / name).write_text(f"#!/bin/sh\n{body}\n")
        (tools / name).chmod(0o755)
    return tmp_path


def install(machine: Path, *words: str, checksum: str = PINNED) -> tuple[int, str, list[str]]:
    """Exit status, what is printed, and the tools that were called since the last time."""
    calls = machine / "calls"
    calls.write_text("")
    environment = {
        "PATH": str(machine / "bin"), "XDG_CACHE_HOME": str(machine / "cache"), "CALLS": str(calls), "SUM": checksum,
        "PREFIX": str(prefix(machine)),
    }  # fmt: skip
    done = subprocess.run([SCRIPT, *words], env=environment, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr, calls.read_text().split()


def prefix(machine: Path) -> Path:
    return machine / "cache" / "isochron" / "simgrid" / "4.1"


def test_each_missing_tool_has_one_message_and_nothing_is_done(machine: Path) -> None:
    for name in ("cmake", "make", "c++", "python3"):
        (machine / "bin" / name).unlink()
    status, output, calls = install(machine)
    assert (status, calls) == (1, [])
    assert [line.split(";")[0] for line in output.splitlines()] == [
        "cmake: is missing", "make: is missing", "c++, a C++ compiler: is missing", "pip of python3: is missing",
    ]  # fmt: skip
    assert all("apt-get install" in line for line in output.splitlines())
    assert not (machine / "cache").exists()


def test_without_the_headers_of_boost_it_says_so(machine: Path) -> None:
    (machine / "bin" / "c++").write_text("#!/bin/sh\nexit 1\n")
    status, output, _ = install(machine)
    assert (status, output) == (
        1, "boost, the headers: is missing; install it (Debian: apt-get install libboost-dev)\n",
    )  # fmt: skip


def test_an_interrupted_build_goes_on_and_a_complete_one_is_left_alone(machine: Path) -> None:
    (machine / "calls.fail").touch()
    assert install(machine)[0] != 0
    assert not (prefix(machine) / "complete").exists()
    (machine / "calls.fail").unlink()
    status, output, calls = install(machine, "2")
    assert (status, calls) == (0, ["make"]), output
    assert (prefix(machine) / "complete").exists()
    assert not prefix(machine).with_name("4.1.build").exists()
    assert install(machine) == (0, f"{prefix(machine)}: is complete\n", [])


def test_a_file_that_is_not_the_pinned_one_is_refused(machine: Path) -> None:
    status, output, calls = install(machine, checksum="0" * 64)
    assert (status, calls) == (1, ["download"])
    assert "simgrid-4.1.tar.gz: is not the pinned file" in output


@pytest.mark.parametrize("jobs", ["0", "many", "-1"])
def test_jobs_are_a_number(machine: Path, jobs: str) -> None:
    status, output, _ = install(machine, jobs)
    assert status == 2
    assert "JOBS is a number from 1" in output


def test_the_built_one_is_preferred_once_it_is_complete(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(machine / "cache"))
    before = programs()
    (machine / "calls.fail").touch()
    install(machine)
    assert programs() == before
    (machine / "calls.fail").unlink()
    install(machine)
    assert programs() == (prefix(machine) / "bin" / "smpicc", prefix(machine) / "bin" / "smpirun")
    assert simgrid_version() == "4.1"
    toolchain = resolve(load_declaration("smpi-default"), load_machine("bxj", Path()), machine)
    assert toolchain.declaration.accepts("4.1") and not toolchain.declaration.accepts("3.32")
    assert applied(toolchain.environment, {})["LD_LIBRARY_PATH"] == str(prefix(machine) / "lib")
    of_4 = load_declaration("smpi-default")
    of_3 = of_4.model_copy(update={"version": "3.32"})
    on_path = machine / "bin" / "smpirun"
    for name in ("smpicc", "smpirun"):
        (machine / "bin" / name).write_text("#!/bin/sh\necho SimGrid version 3.32\n")
        (machine / "bin" / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(machine / "bin"))
    assert [programs(each).launcher == on_path for each in (of_4, of_3)] == [False, True]
    for name in ("smpicc", "smpirun"):
        (machine / "bin" / name).unlink()
    assert programs(of_3) == programs(of_4) == programs()  # none of its own version: the newest
    (prefix(machine) / "bin").chmod(0o777)
    with pytest.raises(FileError, match="can be written by"):
        programs()
