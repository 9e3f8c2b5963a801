# SPDX-License-Identifier: BSD-3-Clause
"""The Spack environment of a stack at a site: `spack.yaml`, and the decisions of the concretizer in `spack.lock`."""

import hashlib
import json
import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from isochron.common.cache import make_folder, refuse_writable_by_others
from isochron.common.documents import read_yaml, yaml_text
from isochron.common.files import FileError, copy_file, read_bytes, write_atomically, write_json
from isochron.common.hashing import tree_sha256
from isochron.schemas.input.site import SpackSite, split_spec
from isochron.schemas.input.spec import spack_spec_of
from isochron.schemas.launcher_kind import FOLDER
from isochron.schemas.run.manifest import StackDeclaration
from isochron.spack_envs.declarations import ROOT
from isochron.spack_envs.families import families, load_family

ENGINE = "isochron-engine"
COMMON = ROOT / "common.yaml"

Document = dict[str, Any]


def read_environment(path: Path) -> Document:
    """Read the section `spack` of a file. Raises FileError."""
    content: Any = read_yaml(path, "remove it and run again: it was written by Isochron")
    return dict(content["spack"])


def document(declaration: StackDeclaration, site: SpackSite, engine: Path, further: Sequence[str] = ()) -> Document:
    """Return the environment with absolute paths, the site's configuration and its externals. Raises FileError.

    `further`: specs besides the engine, built with the same MPI library.
    """
    if not declaration.family:
        raise FileError(f"stack {declaration.stack}: is simulated, so Spack cannot provide it")
    family = load_family(declaration.family)
    asked = spack_spec_of(declaration.stack)
    required = f"{family.spack}@{declaration.version} {asked.requirement if asked else ''}".strip()
    packages: Document = {"mpi": {"require": [required]}}
    if not family.spack_builds:
        packages[family.spack] = {"buildable": False}
    for name, externals in _externals(declaration, family.spack, site).items():
        packages[name] = {**packages.get(name, {}), "buildable": False, "externals": externals}
    spack = {
        "include": [*site.config, str(COMMON)],
        "specs": ["mpi", ENGINE, *further],
        "packages": packages,
        "view": False,
        "develop": {ENGINE: {"spec": f"{ENGINE}@main", "path": str(engine)}},
    }
    return {"spack": spack}


def _externals(declaration: StackDeclaration, mpi: str, site: SpackSite) -> dict[str, list[dict[str, str]]]:
    """Return the site's externals by package; of MPI libraries only that of the stack."""
    libraries = {family.spack for family in families().values()}
    packages: dict[str, list[dict[str, str]]] = {}
    for spec, prefix in site.externals.items():
        name, version = split_spec(spec)
        meant = name == mpi and declaration.accepts(version)
        if meant or name not in libraries:
            packages.setdefault(name, []).append({"spec": spec, "prefix": prefix})
    return packages


def text_of(stack: str, content: Document) -> str:
    """`spack.yaml` as it is written."""
    return yaml_text(content, [f"The stack {stack} at this site; written by isochron (docs/spack.md)."])


def engine_sources(sources: Path, cache: Path) -> Path:
    """Return a copy of the engine's sources, below a folder named by its hash: if they change, Spack rebuilds it.

    The descriptions of launchers, which its Makefile reads, lie beside it as they do here. An incomplete copy is
    replaced. Each stack needs its own `cache`, since Spack takes any newer file in the copy, also one of a build, for a
    change. Raises FileError if others can write to the cache.
    """
    digest = _digest(sources)
    folder = cache / f"engine-{digest[:12]}"
    copied = folder / sources.name
    make_folder(cache)
    refuse_writable_by_others(cache)
    if not copied.is_dir() or _digest(copied) != digest:
        shutil.rmtree(folder, ignore_errors=True)
        fresh = folder.with_name(f".{folder.name}.{os.getpid()}")
        shutil.rmtree(fresh, ignore_errors=True)
        for path in _sources(sources):
            target = fresh / path.relative_to(sources.parent)
            target.parent.mkdir(parents=True, exist_ok=True)
            copy_file(path, target)
        try:
            fresh.rename(folder)
        except OSError:  # another call was first
            shutil.rmtree(fresh)
    return copied


def _sources(folder: Path) -> list[Path]:
    """Return the files that the engine in a folder is built of, with those of launchers beside the folder, in order."""
    files = [path for path in folder.rglob("*") if path.is_file() and _is_source(path.relative_to(folder))]
    return sorted([*files, *folder.parent.joinpath(*FOLDER).glob("*.yaml")])


def _digest(folder: Path) -> str:
    """Return the hash of the names and contents of the sources in a folder."""
    return tree_sha256(folder.parent, _sources(folder))


def _is_source(path: Path) -> bool:
    return path.name == "Makefile" or path.parts[0] in ("src", "include", "features")


def write_environment(folder: Path, stack: str, content: Document) -> None:
    """Write `spack.yaml` into the environment's folder, and remove the lock of another content."""
    text = text_of(stack, content)
    path = folder / "spack.yaml"
    if not path.is_file() or read_bytes(path) != text.encode():
        (folder / "spack.lock").unlink(missing_ok=True)
    write_atomically(path, text)


Node = dict[str, Any]

#: Parameters of a node that are compiler flags, not variants.
FLAGS = ("cflags", "cppflags", "cxxflags", "fflags", "ldflags", "ldlibs")


@dataclass(frozen=True)
class Lock:
    """A lock file: concretised specs by DAG hash."""

    path: Path
    nodes: dict[str, Node]
    roots: dict[str, str]
    sha256: str

    @classmethod
    def load(cls, path: Path) -> "Lock":
        """Read a lock file. Raises FileError."""
        try:
            raw = read_bytes(path)
            content = json.loads(raw)
            nodes = dict(content["concrete_specs"])
            roots = {str(root["spec"]): str(root["hash"]) for root in content["roots"]}
        except OSError as error:
            raise FileError(f"{path}: cannot be read: {error.strerror}") from error
        except (ValueError, KeyError, TypeError) as error:
            raise FileError(f"{path}: is not a spack.lock ({error!r}); remove it and run again") from error
        return cls(path, nodes, roots, hashlib.sha256(raw).hexdigest())

    def engine(self) -> str:
        """Return the DAG hash of the engine. Raises FileError."""
        if ENGINE not in self.roots:
            raise FileError(f"{self.path}: roots: has no {ENGINE}; remove the file and run again")
        return self.roots[ENGINE]

    def named(self, package: str) -> str:
        """Return the DAG hash of a package that the environment names. Raises FileError."""
        for root in self.roots.values():
            if self.nodes[root]["name"] == package:
                return root
        raise FileError(f"{self.path}: roots: has no {package}; remove the file and run again")

    def library(self) -> str:
        """Return the DAG hash of the MPI library that the engine is built with. Raises FileError."""
        for edge in self.nodes[self.engine()].get("dependencies", []):
            if "mpi" in edge["parameters"]["virtuals"]:
                return str(edge["hash"])
        raise FileError(f"{self.path}: {ENGINE} does not depend on an MPI library; remove the file and run again")

    def spec(self, dag_hash: str) -> str:
        """Return the concretised spec as Spack writes it, its dependencies by name and version."""
        node = self.nodes[dag_hash]
        dependencies = {edge["hash"]: edge["name"] for edge in node.get("dependencies", [])}
        below = sorted(f"^{name}@{self.nodes[dag_hash_]['version']}" for dag_hash_, name in dependencies.items())
        return " ".join([_text(node), *below])

    def external(self, dag_hash: str) -> str | None:
        """Return the folder of an external; None for a package that Spack installs."""
        path = self.nodes[dag_hash].get("external", {}).get("path")
        return str(path) if path else None


def _text(node: Node) -> str:
    flags = "".join(
        f"{'+' if value else '~'}{name}" for name, value in node["parameters"].items() if isinstance(value, bool)
    )
    values = [
        f"{name}={','.join(value) if isinstance(value, list) else value}"
        for name, value in node["parameters"].items()
        if not isinstance(value, bool) and name not in FLAGS
    ]
    arch = node["arch"]
    target = arch["target"]["name"] if isinstance(arch["target"], dict) else arch["target"]
    return " ".join(
        [f"{node['name']}@{node['version']}{flags}", *values, f"arch={arch['platform']}-{arch['platform_os']}-{target}"]
    )


def keep(environment: Path, saved: Path) -> None:
    """Save an environment and its lock for the next run of this site."""
    for name in ("spack.lock", "spack.yaml"):
        write_atomically(saved / name, read_bytes(environment / name).decode())


def reuse_lock(environment: Path, saved: Path) -> bool:
    """Copy a saved lock into an environment without one, if their specs are equal except for the engine."""
    lock, requested = environment / "spack.lock", environment / "spack.yaml"
    if lock.exists() or not (saved / "spack.lock").is_file() or not (saved / "spack.yaml").is_file():
        return False
    wanted_specs, had = (read_environment(path) for path in (requested, saved / "spack.yaml"))
    if _without_engine(wanted_specs) != _without_engine(had):
        return False
    content = json.loads(read_bytes(saved / "spack.lock"))
    if wanted_specs["develop"] != had["develop"]:
        content = without_engine(content)
    write_json(lock, content)
    return True


def _without_engine(content: Document) -> Document:
    return {key: value for key, value in content.items() if key != "develop"}


def without_engine(content: Node) -> Node:
    """Return the content of a lock without the engine, so that Spack concretises only the engine again."""
    gone = {root["hash"] for root in content["roots"] if root["spec"] == ENGINE}
    return {
        **content,
        "roots": [root for root in content["roots"] if root["hash"] not in gone],
        "concrete_specs": {key: node for key, node in content["concrete_specs"].items() if key not in gone},
    }
