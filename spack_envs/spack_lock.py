# SPDX-License-Identifier: BSD-3-Clause
"""`spack.lock`: what Spack's concretizer decided, read without Spack, kept and used again."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from isochron.common.files import FileError, read_bytes, write_atomically, write_json
from isochron.spack_envs.spack_environment import ENGINE, Document, read_environment

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
    def load(cls, path: Path) -> Lock:
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
        """DAG hash of the engine. Raises FileError."""
        if ENGINE not in self.roots:
            raise FileError(f"{self.path}: roots: has no {ENGINE}; remove the file and run again")
        return self.roots[ENGINE]

    def named(self, package: str) -> str:
        """DAG hash of a package that the environment names. Raises FileError."""
        for each in self.roots.values():
            if self.nodes[each]["name"] == package:
                return each
        raise FileError(f"{self.path}: roots: has no {package}; remove the file and run again")

    def library(self) -> str:
        """DAG hash of the MPI library that the engine is built with. Raises FileError."""
        for edge in self.nodes[self.engine()].get("dependencies", []):
            if "mpi" in edge["parameters"]["virtuals"]:
                return str(edge["hash"])
        raise FileError(f"{self.path}: {ENGINE} does not depend on an MPI library; remove the file and run again")

    def spec(self, dag_hash: str) -> str:
        """The concretised spec as Spack writes it, its dependencies by name and version."""
        node = self.nodes[dag_hash]
        seen = {edge["hash"]: edge["name"] for edge in node.get("dependencies", [])}
        below = sorted(f"^{name}@{self.nodes[each]['version']}" for each, name in seen.items())
        return " ".join([_text(node), *below])

    def external(self, dag_hash: str) -> str | None:
        """Folder of what was installed already; None for what Spack installs."""
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


def keep(environment: Path, kept: Path) -> None:
    """Keep an environment and its lock for the next run of this site."""
    for name in ("spack.lock", "spack.yaml"):
        write_atomically(kept / name, read_bytes(environment / name).decode())


def use_again(environment: Path, kept: Path) -> bool:
    """Take a kept lock into an environment that has none and asks for the same; the engine may be another one."""
    lock, asked = environment / "spack.lock", environment / "spack.yaml"
    if lock.exists() or not (kept / "spack.lock").is_file() or not (kept / "spack.yaml").is_file():
        return False
    wanted, had = (read_environment(path) for path in (asked, kept / "spack.yaml"))
    if _without_engine(wanted) != _without_engine(had):
        return False
    content = json.loads(read_bytes(kept / "spack.lock"))
    if wanted["develop"] != had["develop"]:
        content = without_engine(content)
    write_json(lock, content)
    return True


def _without_engine(content: Document) -> Document:
    return {key: value for key, value in content.items() if key != "develop"}


def without_engine(content: Node) -> Node:
    """The content of a lock without the engine: Spack then concretises that anew, and nothing else."""
    gone = {root["hash"] for root in content["roots"] if root["spec"] == ENGINE}
    return {
        **content,
        "roots": [root for root in content["roots"] if root["hash"] not in gone],
        "concrete_specs": {each: node for each, node in content["concrete_specs"].items() if each not in gone},
    }
