# SPDX-License-Identifier: BSD-3-Clause
"""Stacks from wheels, and the check of their files."""

from __future__ import annotations

import base64
import hashlib
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from isochron.common.cache import SHARED
from isochron.common.files import FileError
from isochron.schemas.run.manifest import StackDeclaration, Toolchain
from isochron.spack_envs import wheels
from isochron.spack_envs.declarations import load_declaration
from isochron.spack_envs.wheel_index import pins
from isochron.spack_envs.wheels import MARKER, Damage, default_cache, resolve, verified

STACK = load_declaration("intel-mpi-2021").model_copy(update={"stack": "tiny"})


def safe_digest(text: str) -> str:
    """A hash as the files of a wheel have it."""
    return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()


def make_wheel(folder: Path, name: str = "tinympi", script: str = "mpicc") -> Path:
    """A wheel with one script, as MPI's wheels have them."""
    info, data = f"{name}-1.0.dist-info", f"{name}-1.0.data/scripts/{script}"
    path = folder / f"{name}-1.0-py3-none-any.whl"
    files = {
        data: "#!/bin/sh\necho tiny\n",
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    lines = [f"{file},sha256={safe_digest(text)},{len(text)}\n" for file, text in files.items()]
    files[f"{info}/RECORD"] = "".join([*lines, f"{info}/RECORD,,\n"])
    with zipfile.ZipFile(path, "w") as archive:
        for file, text in files.items():
            entry = zipfile.ZipInfo(file)
            entry.external_attr = (0o100755 if file == data else 0o100644) << 16
            archive.writestr(entry, text)
    return path


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of wheels that is all of the package index."""
    folder = tmp_path / "shelf"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


def write_lock(path: Path, wheel: Path, digest: str | None = None) -> Path:
    digest = digest or hashlib.sha256(wheel.read_bytes()).hexdigest()
    path.write_text(f"# a lock\n{wheel.name.split('-')[0]}==1.0 \\\n    --hash=sha256:{digest}\n")
    return path


def ready(declaration: StackDeclaration, tmp_path: Path, lock: Path) -> Toolchain:
    return resolve(declaration, tmp_path / "cache", lock=lock, tell=lambda *_: (tmp_path / "installs").touch())


@pytest.mark.process
def test_install_then_again_after_an_interruption_then_offline(shelf: Path, tmp_path: Path) -> None:
    lock = write_lock(tmp_path / "wheels.lock", make_wheel(shelf))
    first = ready(STACK, tmp_path, lock)
    assert subprocess.run([first.cc], capture_output=True, text=True, check=True).stdout == "tiny\n"
    digest = hashlib.sha256(lock.read_bytes()).hexdigest()
    assert Path(first.prefix) == tmp_path / "cache" / f"tiny-{digest[:12]}"
    assert first.provenance == {"tinympi": "1.0", "wheels_lock_sha256": digest}
    assert first.environment.set["I_MPI_ROOT"] == first.prefix
    assert first.environment.prepend == {"LD_LIBRARY_PATH": [f"{first.prefix}/lib"]}, "the folders that are there"
    assert first.launcher.argv[0] == f"{first.prefix}/bin/mpiexec"
    assert "OMPI_*" in first.environment.unset
    assert not (Path(first.prefix) / "bin" / "pip").exists()

    (Path(first.prefix) / MARKER).unlink()
    Path(first.cc).write_text("half a comp")
    rest = Path(first.prefix) / "rest-of-the-interrupted-install"
    rest.touch()
    assert ready(STACK, tmp_path, lock) == first
    assert "tiny" in Path(first.cc).read_text()
    assert not rest.exists()

    (shelf / "tinympi-1.0-py3-none-any.whl").unlink()
    (tmp_path / "installs").unlink()
    before = Path(first.cc).stat().st_mtime_ns
    assert ready(STACK, tmp_path, lock) == first
    assert not (tmp_path / "installs").exists(), "only what is installed is announced"
    assert Path(first.cc).stat().st_mtime_ns == before


@pytest.mark.process
def test_two_processes_at_once_install_once(shelf: Path, tmp_path: Path) -> None:
    lock = write_lock(tmp_path / "wheels.lock", make_wheel(shelf))
    program = (
        "import sys; from pathlib import Path; from tests.spack_envs.test_wheels import STACK; "
        "from isochron.spack_envs.wheels import resolve; "
        "print(resolve(STACK, Path(sys.argv[1]), lock=Path(sys.argv[2])).cc)"
    )
    root = Path(__file__).parents[2]
    command = [sys.executable, "-c", program, str(tmp_path / "cache"), str(lock)]
    both = [subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    outputs = [process.communicate(timeout=900)[0] for process in both]
    assert [process.returncode for process in both] == [0, 0]
    assert outputs[0] == outputs[1]
    assert os.access(outputs[0].strip(), os.X_OK)


@pytest.mark.process
def test_a_wrong_hash_is_refused(shelf: Path, tmp_path: Path) -> None:
    lock = write_lock(tmp_path / "wheels.lock", make_wheel(shelf), "0" * 64)
    with pytest.raises(FileError, match=r"stack tiny: ERROR: .*; check that the package index.*output: /"):
        ready(STACK, tmp_path, lock)


@pytest.mark.process
def test_no_wheel_to_be_had(shelf: Path, tmp_path: Path) -> None:
    wheel = make_wheel(shelf)
    lock = write_lock(tmp_path / "wheels.lock", wheel)
    wheel.unlink()
    with pytest.raises(FileError, match=r"stack tiny: ERROR: .*tinympi.*PIP_INDEX_URL"):
        ready(STACK, tmp_path, lock)


@pytest.mark.process
def test_wheels_without_a_compiler_are_refused(shelf: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Here they are installed by a Python without pip: the environment gets one then, and else none."""
    monkeypatch.setattr(wheels, "find_spec", lambda _: None)
    lock = write_lock(tmp_path / "wheels.lock", make_wheel(shelf, script="other"))
    with pytest.raises(FileError, match="contain no bin/mpicc"):
        ready(STACK, tmp_path, lock)
    assert list((tmp_path / "cache").glob("tiny-*/bin/pip"))


def test_a_stack_without_wheels(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="wheels cannot provide"):
        ready(STACK, tmp_path, tmp_path / "none.lock")


def test_cache_that_cannot_be_written(shelf: Path, tmp_path: Path) -> None:
    lock = write_lock(tmp_path / "wheels.lock", make_wheel(shelf))
    (tmp_path / "cache").write_text("a file")
    with pytest.raises(FileError, match="set XDG_CACHE_HOME"):
        ready(STACK, tmp_path, lock)


def test_default_cache_follows_the_users_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/elsewhere")
    assert default_cache() == Path("/elsewhere/isochron/stacks")


def test_pins_of_several_wheels(tmp_path: Path) -> None:
    lock = tmp_path / "wheels.lock"
    lock.write_text("# c\nimpi-devel==2021.18.1 \\\n    --hash=sha256:00\nImpi-RT==2021.18.2 ; x\n")
    assert pins(lock) == {"impi-devel": "2021.18.1", "impi-rt": "2021.18.2"}


PINS = {"tiny-mpi": "1.0"}
RECORD = "lib/python3.11/site-packages/tiny_mpi-1.0.dist-info/RECORD"


@pytest.fixture
def prefix(tmp_path: Path) -> Path:
    """A stack as pip would have left it."""
    root = tmp_path / "stack"
    record = root / RECORD
    names = (f"{record.parent.name}/RECORD", f"{record.parent.name}/METADATA", "tiny/__pycache__/gone.pyc")
    lines = [*(f"{name},," for name in names), "../../../bin/unhashed,,"]
    for name in ("bin/mpicc", "bin/mpiexec", "lib/libmpi.so", "lib/tiny/plugin.so"):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"content of {name}\n")
        path.chmod(0o755)
        lines.append(f"../../../{name},sha256={safe_digest(path.read_text())},{path.stat().st_size}")
    (root / "bin" / "unhashed").touch(0o755)
    (root / "bin" / "python").symlink_to("/bin/sh")
    record.parent.mkdir(parents=True)
    record.write_text("\n".join(lines) + "\n")
    return root


def test_a_whole_stack_is_hashed_once(prefix: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    records, stamp = verified(prefix, PINS)
    hashed: list[object] = []
    real = hashlib.file_digest
    monkeypatch.setattr(hashlib, "file_digest", lambda file, kind: hashed.append(file) or real(file, kind))
    assert verified(prefix, PINS, records, stamp) == (records, stamp)
    assert not hashed, "nothing had changed"
    os.utime(prefix / "bin" / "mpiexec")
    again = verified(prefix, PINS, records, stamp)
    assert len(hashed) == 6 and again[0] == records and again[1] != stamp
    assert verified(prefix, PINS, *again) == again and len(hashed) == 6


def change_nothing_that_shows(prefix: Path) -> None:
    """The same size and the same time."""
    path = prefix / "lib" / "tiny" / "plugin.so"
    before = path.stat()
    path.write_bytes(path.read_bytes().swapcase())
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def put_a_folder_there(prefix: Path) -> None:
    (prefix / "lib" / "libmpi.so").unlink()
    (prefix / "lib" / "libmpi.so").mkdir()


def lose_half_of_the_list(prefix: Path) -> None:
    lines = (prefix / RECORD).read_text().splitlines(keepends=True)
    (prefix / RECORD).write_text("".join(lines[:3]))


DAMAGES: list[tuple[str, Callable[[Path], object]]] = [
    ("bin/mpiexec is missing", lambda prefix: (prefix / "bin" / "mpiexec").unlink()),
    ("lib/tiny/plugin.so differs from its wheel", change_nothing_that_shows),
    ("lib/libmpi.so differs from its wheel", lambda prefix: os.truncate(prefix / "lib" / "libmpi.so", 5)),
    ("bin/unhashed is missing", lambda prefix: (prefix / "bin" / "unhashed").unlink()),
    ("lib/libmpi.so cannot be read: Is a directory", put_a_folder_there),
    ("a list of files (RECORD) differs from the installed one", lose_half_of_the_list),
    ("the wheel tiny-mpi 1.0 is missing", lambda prefix: (prefix / RECORD).unlink()),
    ("bin/python is missing", lambda prefix: (prefix / "bin" / "python").unlink()),
]


@pytest.mark.parametrize(("words", "damage"), DAMAGES, ids=[words for words, _ in DAMAGES])
def test_what_is_lost_or_changed_is_named(prefix: Path, words: str, damage: Callable[[Path], object]) -> None:
    known = verified(prefix, PINS)
    damage(prefix)
    with pytest.raises(Damage) as found:
        verified(prefix, PINS, *known)
    assert str(found.value).startswith(words)


def test_a_list_that_is_none(prefix: Path) -> None:
    (prefix / RECORD).write_text("bin/mpicc,md5=0,1\n")
    with pytest.raises(Damage, match="RECORD cannot be read: unknown hash md5"):
        verified(prefix, PINS)


@pytest.mark.parametrize("name", ["bin/mpiexec", "lib/tiny"])
def test_what_others_can_write_is_not_reliable(prefix: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    known = verified(prefix, PINS)
    (prefix / name).chmod(0o777)
    with pytest.raises(FileError, match=f"{name}: can be written by everybody"):
        verified(prefix, PINS, *known)
    monkeypatch.setenv(SHARED, "yes")
    assert verified(prefix, PINS, *known)[0] == known[0]


def test_a_launcher_that_has_lost_its_right_to_be_executed(prefix: Path) -> None:
    known = verified(prefix, PINS)
    (prefix / "bin" / "mpiexec").chmod(0o644)
    with pytest.raises(Damage, match="bin/mpiexec cannot be executed"):
        verified(prefix, PINS, *known)
