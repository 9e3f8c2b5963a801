# SPDX-License-Identifier: BSD-3-Clause
"""The wheel is what the sources are, and the recipes of other package managers ask for what pyproject.toml asks for."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
import yaml

from tests.repository.test_structure import imports, modules

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]

#: Names of the same package elsewhere.
CONDA = {"matplotlib": "matplotlib-base", "seaborn": "seaborn-base", "snakemake": "snakemake-minimal"}
SPACK = {"reframe-hpc": "reframe", "snakemake": "snakemake"}


def _wanted() -> dict[str, str]:
    """Package and its lower and upper limits."""
    pairs = (re.fullmatch(r"([a-z0-9-]+)(.*)", text) for text in PROJECT["dependencies"])
    return {match[1]: match[2] for match in pairs if match}


#: Names of packages whose modules are called otherwise, and what is run as a program.
MODULES = {"pyyaml": "yaml", "reframe-hpc": "reframe"}
PROGRAMS = {"snakemake"}


def test_every_dependency_is_imported() -> None:
    imported = {name.partition(".")[0] for path in modules().values() for name in imports(path)}
    names = {MODULES.get(name, name) for name in _wanted() if name not in PROGRAMS}
    assert len(names) > 10 and names <= imported


def test_the_conda_recipe_has_the_same_version_and_dependencies() -> None:
    recipe = yaml.safe_load((ROOT / "packaging" / "conda" / "recipe.yaml").read_text())
    assert recipe["context"]["version"] == PROJECT["version"]
    given = dict(text.partition(" ")[::2] for text in recipe["requirements"]["run"])
    assert given.pop("python") == PROJECT["requires-python"]
    assert given.pop("c-compiler") == given.pop("make") == ""
    assert given == {CONDA.get(name, name): limits for name, limits in _wanted().items()}


def test_the_spack_package_has_the_same_dependencies() -> None:
    path = ROOT / "spack_envs" / "repo" / "spack_repo" / "isochron" / "packages" / "isochron" / "package.py"
    given = _evaluate(path)
    assert given.pop("python") == "3.11:"
    for tool in ("c", "gmake", "py-setuptools"):
        given.pop(tool)
    assert given == {SPACK.get(name, f"py-{name}"): _spack_limits(limits) for name, limits in _wanted().items()}


@pytest.mark.process
def test_what_an_earlier_build_left_is_not_in_the_wheel(tmp_path: Path) -> None:
    """Of a module that has been removed since; packages of one file stand for ours."""
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tmp_path)
    folders = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["package-dir"]
    removed = tmp_path / "build" / "lib" / "isochron" / "removed.py"
    for path in (removed, *(tmp_path / folder / "__init__.py" for folder in folders.values())):
        path.parent.mkdir(parents=True)
        path.touch()
    code = "from setuptools import build_meta; build_meta.build_wheel('.')"
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, check=True)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        files = {name for name in archive.namelist() if name.endswith(".py")}
    assert files == {f"{package.replace('.', '/')}/__init__.py" for package in folders}


def _spack_limits(limits: str) -> str:
    """`>=2.9,<3` as Spack writes it: `2.9:2`, and `9` where both ends are one version."""
    lower, _, upper = limits.removeprefix(">=").partition(",<")
    lower = lower.removesuffix(".0")
    last = str(int(upper) - 1) if upper else ""
    return lower if lower == last else f"{lower}:{last}"


def _evaluate(path: Path) -> dict[str, str]:
    """Run the recipe with stand-ins for Spack's modules; what it depends on, and in which versions."""
    given: dict[str, str] = {}

    class Nothing:
        def __enter__(self) -> None: ...
        def __exit__(self, *_: object) -> None: ...

    def depends_on(spec: str, **_: object) -> None:
        name, _at, versions = spec.partition("@")
        given[name] = versions

    tree = ast.parse(path.read_text())
    tree.body = [node for node in tree.body if not isinstance(node, ast.ImportFrom)]
    names = {
        "PythonPackage": object,
        "depends_on": depends_on,
        "license": lambda *_: None,
        "version": lambda *_: None,
        "default_args": lambda **_: Nothing(),
    }
    exec(compile(tree, str(path), "exec"), names)
    return given
