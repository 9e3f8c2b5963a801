# SPDX-License-Identifier: BSD-3-Clause
"""The Spack environment of a stack at a site: the stack's `spack.yaml`, with what the site has already."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from isochron.common.bounded.documents import read_yaml, yaml_text
from isochron.common.cache import make_folder, refuse_writable_by_others
from isochron.common.files import FileError, copy_file, read_bytes, write_atomically
from isochron.common.hashing import tree_sha256
from isochron.schemas.input.spack_site import SpackSite, split_spec
from isochron.schemas.run.manifest import StackDeclaration
from isochron.spack_envs.declarations import ROOT, available_stacks

ENGINE = "isochron-engine"
COMMON = ROOT / "common.yaml"

Document = dict[str, Any]


def stack_file(stack: str) -> Path:
    """The stack's own part of the environment."""
    return ROOT / stack / "spack.yaml"


def read_environment(path: Path) -> Document:
    """What stands below `spack` in a file. Raises FileError."""
    content: Any = read_yaml(path, "restore it: it is shipped with Isochron, or was written by it")
    return dict(content["spack"])


def document(declaration: StackDeclaration, site: SpackSite, engine: Path, further: Sequence[str] = ()) -> Document:
    """The environment with absolute paths, the site's configuration and its externals. Raises FileError.

    `further`: specs beside the engine, of the same MPI library.
    """
    path = stack_file(declaration.stack)
    if not path.is_file():
        raise FileError(f"stack {declaration.stack}: {path} is missing, so Spack cannot provide this stack")
    spack: Document = read_environment(path)
    packages: Document = dict(spack["packages"])
    spack["specs"] = [*spack["specs"], *further]
    for name, externals in _externals(declaration, library(declaration.stack), site).items():
        packages[name] = {**packages.get(name, {}), "buildable": False, "externals": externals}
    spack["include"] = [*site.config, str(COMMON)]
    spack["packages"] = packages
    spack["develop"] = {ENGINE: {"spec": f"{ENGINE}@main", "path": str(engine)}}
    return {"spack": spack}


def library(stack: str) -> str:
    """The package of the stack's MPI library."""
    packages = read_environment(stack_file(stack))["packages"]
    return split_spec(packages["mpi"]["require"][0])[0]


def _externals(declaration: StackDeclaration, mpi: str, site: SpackSite) -> dict[str, list[dict[str, str]]]:
    """The given externals by package; of MPI libraries only what the stack stands for."""
    libraries = {library(stack) for stack in available_stacks() if stack_file(stack).is_file()}
    found: dict[str, list[dict[str, str]]] = {}
    for spec, prefix in site.externals.items():
        name, version = split_spec(spec)
        meant = name == mpi and declaration.accepts(version)
        if meant or name not in libraries:
            found.setdefault(name, []).append({"spec": spec, "prefix": prefix})
    return found


def text_of(stack: str, content: Document) -> str:
    """`spack.yaml` as it is written."""
    return yaml_text(content, [f"The stack {stack} at this site; written by isochron (docs/spack.md)."])


def engine_sources(sources: Path, cache: Path) -> Path:
    """A copy of the engine's sources, named after what is in it: where they change, Spack builds again.

    A copy that has lost a file is made anew. Each stack needs its own `cache`: Spack takes any newer file there, also
    one of a build, for a change. Raises FileError where others can write to the cache.
    """
    digest = _digest(sources)
    folder = cache / f"engine-{digest[:12]}"
    make_folder(cache)
    refuse_writable_by_others(cache)
    if not folder.is_dir() or _digest(folder) != digest:
        shutil.rmtree(folder, ignore_errors=True)
        fresh = folder.with_name(f".{folder.name}.{os.getpid()}")
        shutil.rmtree(fresh, ignore_errors=True)
        for path in _sources(sources):
            target = fresh / path.relative_to(sources)
            target.parent.mkdir(parents=True, exist_ok=True)
            copy_file(path, target)
        try:
            fresh.rename(folder)
        except OSError:  # another call was first
            shutil.rmtree(fresh)
    return folder


def _sources(folder: Path) -> list[Path]:
    """The files of the engine's sources, in order."""
    return [path for path in sorted(folder.rglob("*")) if path.is_file() and _is_source(path.relative_to(folder))]


def _digest(folder: Path) -> str:
    """Return the hash of the names and contents of the sources in a folder."""
    return tree_sha256(folder, _sources(folder))


def _is_source(path: Path) -> bool:
    return path.name == "Makefile" or path.parts[0] in ("src", "include", "features")


def write_environment(folder: Path, stack: str, content: Document) -> None:
    """`spack.yaml` in the environment's folder; a lock of something else is taken away."""
    text = text_of(stack, content)
    path = folder / "spack.yaml"
    if not path.is_file() or read_bytes(path) != text.encode():
        (folder / "spack.lock").unlink(missing_ok=True)
    write_atomically(path, text)
