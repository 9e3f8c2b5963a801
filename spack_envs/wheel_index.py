# SPDX-License-Identifier: BSD-3-Clause
"""Wheels of the package index: the versions of a library that it has for this machine, and the lock of one of them.

pip is asked, so that its configuration decides about index, mirrors and certificates. A lock is kept in the user's
cache: a version that was resolved once needs no network.
"""

import json
import os
import platform
import re
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from isochron.common.cache import make_folder, refuse_writable_by_others, user_cache
from isochron.common.children import captured
from isochron.common.files import FileError, read_text, write_atomically
from isochron.schemas.run.manifest import StackDeclaration
from isochron.spack_envs import pip_output
from isochron.spack_envs.families import load_family
from isochron.spack_envs.tell import Tell, silent

PIN = re.compile(r"^([A-Za-z0-9][A-Za-z0-9._-]*)==([^\s;\\]+)", re.MULTILINE)

#: Options of every call of pip that looks for wheels or installs them.
WHEELS_ONLY = ("--no-input", "--disable-pip-version-check", "--no-deps", "--only-binary", ":all:")

#: Maximum seconds of a call of pip.
PATIENCE_S = 300


def pins(lock: Path) -> dict[str, str]:
    """Return package and version of each wheel in a lock file."""
    return {name.lower(): version for name, version in PIN.findall(read_text(lock, "remove it and run again"))}


def version_of(lock: Path) -> str:
    """Return the version of the library in the lock of a stack by spec, without the number of its packaging."""
    return _plain(next(iter(pins(lock).values())))


def lock_file(declaration: StackDeclaration, tell: Tell = silent) -> Path:
    """Return the lock of a stack by spec in the user's cache; the index is asked unless that version is there.

    `tell` is called before it is asked. Raises FileError if the index cannot be reached, or has no such version.
    """
    folder = user_cache("locks")
    make_folder(folder)
    refuse_writable_by_others(folder)
    wheels = load_family(declaration.family).wheels
    if not wheels:
        raise FileError(f"stack {declaration.stack}: {declaration.mpi_library} has no wheels; use --stack-source spack")
    path = _path(folder, declaration.family, declaration.version)
    if path.is_file() and set(pins(path)) == set(wheels):
        return path
    tell("asking the package index for the wheels of", "")
    report = _found(declaration, wheels, f"{declaration.version}.*")
    lowest = min((str(wheel["metadata"]["version"]) for wheel in report), key=_key)
    if any(wheel["metadata"]["version"] != lowest for wheel in report):
        report = _found(declaration, wheels, lowest)
    path = _path(folder, declaration.family, _plain(lowest))
    heading = f"# Wheels of {declaration.family} {lowest} for {platform.machine()}; written by isochron.\n"
    write_atomically(path, heading + "".join(_requirement(declaration.stack, wheel) for wheel in report))
    return path


def versions(family: str) -> list[str]:
    """Return the versions that the index has for this machine, the newest first. Raises FileError."""
    wheel = load_family(family).wheels[0]
    code, output, errors = _call(["index", "versions", wheel, *WHEELS_ONLY[:2], "--only-binary", ":all:"])
    listed = re.search(r"^Available versions: (.*)$", output, re.MULTILINE)
    if code or listed is None:
        raise FileError(f"{family}: {_reason(errors)}; resolved here before: {_listing(known(family))}")
    return _sorted(listed[1].split(", "))[::-1]


def known(family: str) -> list[str]:
    """Return the versions whose locks are in the user's cache, the oldest first."""
    ends = f"-{platform.machine()}.lock"
    paths = user_cache("locks").glob(f"{family}-[0-9]*{ends}")
    return _sorted([path.name.removeprefix(f"{family}-").removesuffix(ends) for path in paths])


def _path(folder: Path, family: str, version: str) -> Path:
    return folder / f"{family}-{version}-{platform.machine()}.lock"


def _found(declaration: StackDeclaration, wheels: list[str], version: str) -> list[dict[str, Any]]:
    """Return what pip would install: its report of each wheel. Raises FileError."""
    family, stack = declaration.family, declaration.stack
    wanted = [f"{wheel}=={version}" for wheel in wheels]
    code, output, errors = _call(
        ["install", "--dry-run", "--ignore-installed", "--quiet", "--report", "-", *WHEELS_ONLY, *wanted]
    )
    if code == 0:
        try:
            return list(json.loads(output)["install"])
        except (ValueError, KeyError, TypeError) as error:
            raise FileError(f"stack {stack}: pip's report cannot be read ({error!r}); update pip") from error
    listed = re.search(r"\(from versions: (.*?)\)", errors)
    there = _sorted(listed[1].split(", ")) if listed and listed[1] != "none" else []
    if not there or pip_output.unreachable(errors):
        raise FileError(f"stack {stack}: {_reason(errors)}; resolved here before: {_listing(known(family))}")
    raise FileError(
        f"stack {stack}: the package index has no wheel of {family} {stack.partition('@')[2]} for this machine; "
        f"there are {_listing(there)}"
    )


def _reason(errors: str) -> str:
    """Return why pip found nothing."""
    unreachable = pip_output.unreachable(errors)
    if unreachable:
        return f"{unreachable}: the package index cannot be reached; PIP_INDEX_URL names another one"
    lines = [line.strip() for line in errors.splitlines() if line.strip()]
    worst = [line for line in lines if line.startswith("ERROR")]
    words = (worst or lines or ["no output"])[0].removeprefix("ERROR: ")
    return f"the package index cannot be reached, or has none of its wheels for this machine (pip: {words})"


def _call(arguments: list[str]) -> tuple[int, str, str]:
    """Call pip; return code, output and errors. Raises FileError if it cannot be called.

    Where this Python has no pip, a virtual environment for one call has.
    """
    with tempfile.TemporaryDirectory(prefix="isochron-pip-") as folder:
        python = sys.executable
        if find_spec("pip") is None:
            code, _, errors = _run([sys.executable, "-m", "venv", folder])
            if code:
                raise FileError(
                    f"pip is missing, and so is Python's venv module (Debian: python3-venv): {errors.strip()}"
                )
            python = f"{folder}/bin/python"
        return _run([python, "-m", "pip", *arguments])


def _run(command: list[str]) -> tuple[int, str, str]:
    environment = {"PIP_RETRIES": "1", **os.environ, "LC_ALL": "C"}
    try:
        done = captured(command, env=environment, timeout=PATIENCE_S)
    except subprocess.TimeoutExpired as error:
        raise FileError(
            f"the package index did not answer within {PATIENCE_S} s; PIP_INDEX_URL names another one"
        ) from error
    return done.returncode, done.stdout, done.stderr


def _requirement(stack: str, wheel: dict[str, Any]) -> str:
    """Return the line of a wheel in a lock file. Raises FileError if pip states no hash."""
    digest = wheel.get("download_info", {}).get("archive_info", {}).get("hashes", {}).get("sha256", "")
    if not re.fullmatch(r"[0-9a-f]{64}", digest):
        raise FileError(f"stack {stack}: the package index states no SHA-256 of its wheel; use another index")
    name = re.sub(r"[-_.]+", "-", wheel["metadata"]["name"]).lower()
    return f"{name}=={wheel['metadata']['version']} \\\n    --hash=sha256:{digest}\n"


def _plain(version: str) -> str:
    """Return a version without the number of its packaging: 5.0.1 of 5.0.1.post1."""
    return re.sub(r"\.post\d+$", "", version)


def _key(version: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", version)]


def _sorted(listed: list[str]) -> list[str]:
    """Return each version once, the oldest first, without 0.0.0, which holds the name of a package."""
    return sorted({_plain(version.strip()) for version in listed} - {"0.0.0"}, key=_key)


def _listing(names: list[str]) -> str:
    return ", ".join(names) or "none"
