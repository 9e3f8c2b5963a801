# SPDX-License-Identifier: BSD-3-Clause
"""Builds the wheel from the tracked files and installs it where the checkout cannot be seen."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
#: Folders of the repository that the wheel has below `isochron`.
FOLDERS = set(tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["package-dir"].values())

#: What would lead a command back to the checkout or to the environment of the tests.
LEADING_BACK = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "SPACK_ROOT")


def tracked() -> list[str]:
    """Paths of the tracked files, and of new ones that are not ignored."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    return [name for name in names if (ROOT / name).exists()]


def copy_tracked(folder: Path) -> Path:
    """Copy them, so that what setuptools leaves behind (`build/`) never lies in the checkout."""
    for name in tracked():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, target)
    return folder


def build_wheel(source: Path, folder: Path) -> Path:
    """The wheel of a source folder."""
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps"]
    subprocess.run([*command, "--no-build-isolation", "--wheel-dir", folder, source], cwd=folder, check=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


def install(wheel: Path, folder: Path) -> Path:
    """An environment with the dependencies of requirements.lock and the wheel."""
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    pip = [folder / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    for what in (["--require-hashes", "--requirement", ROOT / "requirements.lock"], ["--no-deps", wheel]):
        subprocess.run([*pip, *what], cwd=folder, env=commands_environment(), check=True)
    return folder


def commands_environment() -> dict[str, str]:
    """This process's environment without what leads back to the checkout."""
    kept = {name: value for name, value in os.environ.items() if name not in LEADING_BACK}
    folders = kept["PATH"].split(os.pathsep)
    return kept | {"PATH": os.pathsep.join(folder for folder in folders if not Path(folder).is_relative_to(ROOT))}
