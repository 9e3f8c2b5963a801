# SPDX-License-Identifier: BSD-3-Clause
"""A stand-in for Spack: enough of `--version`, `-e ENV install` and `-e ENV location` for one stack with an external.

It builds with the `mpicc` of the external, writes the lock that Spack would, and notes each call.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import yaml

#: The section `packages` of its configuration, and the versions of its packages.
CONFIGURED = {
    "openmpi": {"externals": [{"spec": "openmpi@4.1.4~cuda %gcc@12.2.0", "prefix": "/usr"}, {"spec": "openmpi"}]},
    "cray-mpich": {"buildable": False, "externals": [{"spec": "cray-mpich@8.1.30 %gcc", "prefix": "/opt/cray"}]},
    "all": {"buildable": True},
}
VERSIONS = {
    "cray-mpich": ["8.1.30", "8.1.28"], "mpich": ["develop", "4.3.2", "4.2.3"], "mpich-helper": ["1.0"],
    "openmpi": ["main", "5.0.8", "4.1.4"],
}  # fmt: skip

HOME = Path(__file__).parent
ENGINE, MPI = "e" * 32, "m" * 32


def node(name: str, version: str, **more: Any) -> dict[str, Any]:
    """A concretised spec as a lock file has it."""
    arch = {"platform": "linux", "platform_os": "debian12", "target": "x86_64_v3"}
    return {"name": name, "version": version, "arch": arch, "parameters": {"cflags": []}, **more}


def lock_content(engine: Path, mpi: str, version: str, prefix: str | None, required: str = "") -> dict[str, Any]:
    """A lock of an engine, its MPI library, with the variants that are required, and a dependency of that."""
    edge = {"name": mpi, "hash": MPI, "parameters": {"deptypes": ["link"], "virtuals": ["mpi"]}}
    below = {"name": "hwloc", "hash": "h" * 32, "parameters": {"deptypes": ["link"], "virtuals": []}}
    library = node(mpi, version, dependencies=[below])
    library["parameters"] |= {"fortran": False, "romio": True, "device": "ch4", "fabrics": ["ofi", "ucx"]}
    if prefix is not None:
        library["external"] = {"path": prefix, "module": None}
    built = node("isochron-engine", "main", dependencies=[edge])
    built["parameters"]["dev_path"] = str(engine)
    for word in required.split()[1:]:
        name, _, value = word.partition("=")
        library["parameters"] |= {name: value} if value else {name[1:]: name[0] == "+"}
    return {
        "_meta": {"file-type": "spack-lockfile", "lockfile-version": 6, "specfile-version": 5},
        "roots": [{"hash": ENGINE, "spec": "isochron-engine"}, {"hash": MPI, "spec": "mpi"}],
        "concrete_specs": {ENGINE: built, MPI: library, "h" * 32: node("hwloc", "2.9.0")},
    }


def install(environment: Path, home: Path) -> int:
    """Build as the environment says."""
    spack = yaml.safe_load((environment / "spack.yaml").read_text())["spack"]
    ((mpi, entry),) = [(name, entry) for name, entry in spack["packages"].items() if "externals" in entry]
    external, engine = entry["externals"][0], Path(spack["develop"]["isochron-engine"]["path"])
    lock = environment / "spack.lock"
    with (home / "calls").open("a") as calls:
        calls.write(f"install {'with' if lock.exists() else 'without'} lock\n")
    version, required = external["spec"].split("@")[1], spack["packages"]["mpi"]["require"][0]
    lock.write_text(json.dumps(lock_content(engine, mpi, version, external["prefix"], required)))
    words = ["make", "-C", str(engine), f"CC={external['prefix']}/bin/mpicc", f"BUILD={home}/installed/bin"]
    return subprocess.run(words, check=False).returncode


def _listed(package: str, words: list[str]) -> bool:
    """As there, a word without a pattern is one for every name that contains it."""
    return any(word in package for word in words)


def main(words: list[str], home: Path) -> int:
    """The command line."""
    match words:
        case ["--version"]:
            print((home / "version").read_text().strip())
        case ["-e", environment, "install"]:
            return install(Path(environment), home)
        case ["-e", _, "location", "--install-dir", where]:
            assert where == f"/{ENGINE}"
            print(home / "installed")
        case ["find", "--format", "{name} {version}"]:
            print("gcc 12.2.0", "mpich 4.2.3", "mpich 4.2.3", "openmpi main", sep="\n")
        case ["config", "get", "packages"]:
            print(yaml.safe_dump({"packages": CONFIGURED}))
        case ["list", "--format", "version_json", *names]:
            print(
                json.dumps(
                    [{"name": name, "versions": list(VERSIONS[name])} for name in VERSIONS if _listed(name, names)]
                )
            )
        case _:
            print(f"==> Error: {words}", file=sys.stderr)
            return 1
    return 0


def write_fake(home: Path, version: str = "1.1.0 (2e90)") -> Path:
    """The command `spack` in `home`."""
    home.mkdir(parents=True, exist_ok=True)
    (home / "version").write_text(version)
    command = home / "spack"
    call = f"import sys; sys.path.insert(0, {str(HOME)!r}); import fake_spack; from pathlib import Path"
    script = f"{call}; sys.exit(fake_spack.main(sys.argv[1:], Path({str(home)!r})))"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -c "{script}" "$@"\n')
    command.chmod(0o755)
    return command
