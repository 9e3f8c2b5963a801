# SPDX-License-Identifier: BSD-3-Clause
"""Checkout, editable install and wheel have the same import names (tests/install has the files of the wheel)."""

from __future__ import annotations

import subprocess
import sys
import tomllib

import pytest

from tests.repository.test_structure import ROOT, modules, tracked

#: Prints the modules among the arguments that cannot be found, without third-party packages.
FIND = "from importlib.util import find_spec; print(*[n for n in sys.argv[1:] if find_spec(n) is None])"


@pytest.mark.process
def test_every_package_is_found_in_a_checkout_that_is_not_installed() -> None:
    names = sorted(name for name, path in modules().items() if path.name == "__init__.py")
    command = [sys.executable, "-I", "-S", "-c", f"import sys; sys.path.insert(0, {str(ROOT)!r}); {FIND}", *names]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.stdout.split(), done.stderr) == ([], "")
    assert "isochron.postprocess" in names


def test_every_folder_with_modules_is_a_package_or_within_one_of_the_wheel() -> None:
    setuptools = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]
    mapped = {name.replace(".", "/"): folder for name, folder in setuptools["package-dir"].items()}
    assert [name.replace("/", ".") for name in mapped] == setuptools["packages"]
    named = {name.split(".")[1] for name in modules() if name.count(".") > 1}
    below = {path.parts[len(ROOT.parts) + 1] for path in tracked(".py") if path.is_relative_to(ROOT / "isochron")}
    assert named == (set(mapped.values()) - {"isochron", "reports"}) | {name for name in below if "." not in name}


def test_no_symbolic_link_is_in_the_package() -> None:
    folders = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["package-dir"].values()
    paths = [path for folder in folders for path in (ROOT / folder).rglob("*")]
    assert [path for path in paths if path.is_symlink()] == []
    assert len(paths) > 500
