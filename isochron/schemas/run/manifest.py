# SPDX-License-Identifier: BSD-3-Clause
"""Stacks: the declaration in `spack_envs/`, the toolchain it resolves to, and the manifest after the build."""

import re
from collections.abc import Iterable
from typing import Literal

from pydantic import Field

from isochron.schemas.base import Record

#: Set in the environment of a build by `isochron run --rebuild`: no engine is taken from the cache.
REBUILD = "ISOCHRON_REBUILD"


class Environment(Record):
    """Changes to the environment of a launch or build, applied in the order unset, set, prepend.

    An entry of `unset` is a name or a pattern such as `OMPI_*`.
    """

    unset: list[str] = Field(default_factory=list)
    set: dict[str, str] = Field(default_factory=dict)
    prepend: dict[str, list[str]] = Field(default_factory=dict)


class Launcher(Record):
    """How a stack starts processes (docs/how-to/run-under-a-scheduler.md).

    `argv` is a template: `{processes}`, `{processes_per_node}` and `{nodes}` are replaced for each launch.
    `placed` is the template for launches on given nodes: `{host_file}` has the host of each rank, one per line;
    `{hosts}` is a comma-separated list of the hosts, `{chunk}` the number of consecutive ranks on each. None: the
    launcher cannot place ranks. `{launch}` is the name of the launch in its job. `pmi` is the interface by which ranks
    connect under the launcher of a site; None: no such launcher starts the stack. `oversubscribe` is added if a node
    has fewer cores than processes, or than their threads; None: the stack must not be oversubscribed, because its
    processes spin while they wait. Where it is not, and each process has several threads (`{threads}`), `threaded` has
    what replaces words of `argv` and `placed`, and `threaded_variables` what the launcher has in its environment.
    """

    argv: list[str] = Field(min_length=1)
    placed: list[str] | None = None
    pmi: str | None = None
    oversubscribe: list[str] | None = None
    threaded: dict[str, list[str]] = Field(default_factory=dict)
    threaded_variables: dict[str, str] = Field(default_factory=dict)


class Simulator(Record):
    """A simulated stack: the algorithms of its collectives.

    `largest`: the largest number of processes that can be simulated in reasonable time.
    """

    selector: str
    options: list[str] = Field(default_factory=list)
    largest: int


class Container(Record):
    """The image in which a stack is.

    `enter`: words before a command that runs inside and sees the folder of the run; `enter_rank`: those before a rank
    that a launcher outside starts (`{processes_per_node}`, `{launch}`); `check`: the command that prints the digest of
    the image.
    """

    runtime: str
    image: str
    digest: str
    enter: list[str]
    enter_rank: list[str]
    check: list[str]

    def words(self, environment: Environment, *, rank: bool = False) -> list[str]:
        """Return the words before a command (or a rank) inside, with variables, of which an image may have others."""
        values = environment.set | {name: ":".join(folders) for name, folders in environment.prepend.items()}
        pairs = [f"{name}={value}" for name, value in values.items()]
        return [*(self.enter_rank if rank else self.enter), *(["env", *pairs] if pairs else [])]


class Abi(Record):
    """The ABI of MPI 5 in a library: the folder of its `mpi_abi.h`, and the library that programs are linked with."""

    include: str
    library: str


class TransportReport(Record):
    """How a library prints what carries its messages.

    `environment`: variables that make it print that, which no measured launch has. `lines`: name of a part of the
    transport → regular expression with one group, its value, searched in every line. `renamed`: values that other
    releases have by another name.
    """

    environment: dict[str, str]
    lines: dict[str, str]
    renamed: dict[str, str] = Field(default_factory=dict)

    def read(self, lines: Iterable[str]) -> str:
        """Return the transport that the printed lines state, such as `pml ob1, btl self sm`; empty: none."""
        values: dict[str, set[str]] = {part: set() for part in self.lines}
        for line in lines:
            for part, pattern in self.lines.items():
                match = re.search(pattern, line)
                if match:
                    value = match[1].strip()
                    values[part].add(self.renamed.get(value, value))
        return ", ".join(f"{part} {' '.join(sorted(stated))}" for part, stated in values.items() if stated)


class StackDeclaration(Record):
    """`spack_envs/<stack>/stack.yaml`: a stack, independent of its source."""

    stack: str
    #: The family that it is a version of (spack_envs/families); empty: it is described by itself.
    family: str = ""
    mpi_library: str
    #: Regular expression with one group, the version, that MPI_Get_library_version must match.
    library_version: str
    #: Prefix of the stack's version: `5.0` accepts 5.0.11, `5.0.8` only that version; or several, separated by commas.
    version: str
    #: File-name prefix of the MPI library that the engine must be linked with.
    library_file: str = "libmpi.so"
    launcher: Launcher
    environment: Environment = Environment()
    description: str = ""
    #: Third-party benchmarks in its wheels: tool → folder of the programs (`{prefix}`: of the stack).
    tools: dict[str, str] = Field(default_factory=dict)
    simulator: Simulator | None = None
    #: None: it does not print what carries its messages, or it is not known how to ask.
    transport: TransportReport | None = None

    def accepts(self, version: str) -> bool:
        """Return True if a library of that version is what the stack stands for."""
        return any(version == prefix or version.startswith(f"{prefix}.") for prefix in self.version.split(", "))


class Toolchain(Record):
    """A stack made ready on this machine: enough to compile and to launch."""

    declaration: StackDeclaration
    stack_source: Literal["wheels", "spack", "prefix", "module", "container", "site", "simulated"]
    #: Folder under which the MPI library must lie, unless `provenance` has its file (`library`).
    prefix: str
    cc: str
    launcher: Launcher
    environment: Environment
    #: None: it is on this machine itself; else `prefix` and `cc` are paths in the image.
    container: Container | None = None
    #: Wheel versions or concretised spec and the sha256 of the lock file that pinned them, or the library's file.
    provenance: dict[str, str]
    #: The stack of which this is a variant of the campaign, and the variables that only its launches have.
    variant_of: str = ""
    variables: dict[str, str] = Field(default_factory=dict)
    #: None: the engine is built with `cc` for the library's own ABI.
    abi: Abi | None = None

    @property
    def compiler(self) -> str:
        """The command that compiles the engine: a compiler without MPI if it is built for the ABI of MPI 5."""
        return self.cc if self.abi is None else "cc"

    @property
    def make_variables(self) -> dict[str, str]:
        """Further variables of the engine's Makefile."""
        return {} if self.abi is None else {"ABI_INCLUDE": self.abi.include, "ABI_LIBRARY": self.abi.library}

    @property
    def inside(self) -> list[str]:
        """The words before a command that runs where the stack is: none unless it is in an image."""
        return [] if self.container is None else self.container.words(self.environment)

    def under(self, name: str, variables: dict[str, str]) -> "Toolchain":
        """Return the same under the name of a variant."""
        of = self.declaration.stack
        declaration = self.declaration.model_copy(update={"stack": name})
        return self.model_copy(update={"declaration": declaration, "variant_of": of, "variables": variables})


class Manifest(Record):
    """A stack with the engine built: nothing after the build needs more than this."""

    schema_version: Literal[1] = 1
    stack: str
    mpi_library: str
    mpi_version: str
    mpi_library_version: str
    stack_source: str
    cc: str
    compiler: str
    launcher: Launcher
    environment: Environment
    #: The image in which compiler, libraries and ranks are; None: none.
    container: Container | None = None
    engine: str
    engine_version: str
    engine_sha256: str
    #: Shared libraries of MPI that `ldd` resolved, as absolute paths.
    linked_libraries: list[str]
    #: Their hashes when the engine was built.
    library_sha256: dict[str, str] = Field(default_factory=dict)
    provenance: dict[str, str]
    #: When the engine was built: before this run where it came from the cache of engines.
    built_at: str
    #: What it was built of (sources, toolchain, flags), as one hash; the cache knows it by this. Empty: not cached.
    engine_key: str = ""
    #: The stack of which this is a variant of the campaign; empty: it is none.
    variant_of: str = ""
    #: The engine is built for the ABI of MPI 5, and the same for all such stacks.
    abi: bool = False
    #: How a launch before those of a block makes the library print its transport; None: it is not asked.
    transport: TransportReport | None = None

    @property
    def inside(self) -> list[str]:
        """The words before a command that runs where the stack is: none unless it is in an image."""
        return [] if self.container is None else self.container.words(self.environment)

    @property
    def simulation(self) -> str:
        """Simulator, network model, selector and machine of a simulated stack; else empty."""
        return self.provenance.get("simulation", "")
