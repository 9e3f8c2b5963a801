# SPDX-License-Identifier: BSD-3-Clause
"""Families: an MPI library in all its versions, of which a stack is one."""

from pydantic import Field

from isochron.schemas.base import Record
from isochron.schemas.launcher_kind import load_launcher_kind
from isochron.schemas.run.manifest import Environment, Launcher, StackDeclaration, TransportReport


class FamilyLauncher(Record):
    """The launcher of a library: its kind (`reframe_checks/sites/launchers`), and what the library adds.

    `pmi`: the interface by which ranks of the library connect; launchers of sites have their own words for it. `binds`:
    whether the library binds its processes itself; `threaded_variables`: by which it then gives each a core for each of
    its threads, `{threads}`. `oversubscribe`: what it needs if a node has more processes than
    cores; None: the stack must not be oversubscribed.
    """

    kind: str
    pmi: str | None = None
    binds: bool = False
    threaded_variables: dict[str, str] = Field(default_factory=dict)
    oversubscribe: list[str] | None = None

    def launcher(self) -> Launcher:
        """Return the words that start processes. Raises FileError."""
        kind = load_launcher_kind(self.kind)
        word = kind.pmi.get(self.pmi or "", "")
        bind = [] if self.binds else kind.bind

        def words(template: list[str]) -> list[str]:
            return [text.replace("{pmi}", word) for text in [*template, *bind]]

        return Launcher(
            argv=words(kind.packed),
            placed=None if kind.placed is None else words(kind.placed),
            pmi=self.pmi,
            threaded=kind.threaded,
            threaded_variables=self.threaded_variables,
            oversubscribe=None if self.oversubscribe is None else [*kind.overcommit, *self.oversubscribe],
        )


class Release(Record):
    """What differs from the family in the versions that begin with a prefix."""

    launcher: FamilyLauncher | None = None
    environment: Environment | None = None


class ParameterFile(Record):
    """A file of lines `setting = value` that a library reads. `file`: its usual name; `variable`: one that names it."""

    file: str
    variable: str


class Family(Record):
    """`spack_envs/families/<library>.yaml`: how an MPI library is launched and recognised, whatever its version."""

    mpi_library: str
    #: Regular expression with one group, the version, that MPI_Get_library_version must match.
    library_version: str
    #: Number of parts of the version (2021.14 has two) that every release reports; None: all.
    reported_parts: int | None = None
    #: File-name prefix of the MPI library that the engine must be linked with.
    library_file: str = "libmpi.so"
    #: A compiler of the machine that links what is loaded, and the variable of modules that holds the library's folder.
    wrapper: str = ""
    folder_variable: str = ""
    launcher: FamilyLauncher
    environment: Environment = Environment()
    #: How one of its settings (control variables of MPI_T) is spelt as a variable of the environment.
    setting: str = "{name}"
    #: Variables of the environment without which settings that choose algorithms have no effect.
    algorithms_need: dict[str, str] = Field(default_factory=dict)
    #: None: the library is set by variables alone.
    parameters: ParameterFile | None = None
    #: Third-party benchmarks in its wheels: tool → folder of the programs (`{prefix}`: of the stack).
    tools: dict[str, str] = Field(default_factory=dict)
    #: None: it does not print what carries its messages, or it is not known how to ask.
    transport: TransportReport | None = None
    #: By prefix of the version.
    releases: dict[str, Release] = Field(default_factory=dict)
    #: Packages of the index, each with the version of the library; empty: the library has no wheels.
    wheels: list[str] = Field(default_factory=list)
    #: Spack's package, and whether Spack can build it; if not, it is an external.
    spack: str
    spack_builds: bool = True

    def kind_in(self, version: str) -> str:
        """Return the kind of launcher of a version."""
        return (self.release(version).launcher or self.launcher).kind

    def release(self, version: str) -> Release:
        """Return what differs in a version."""
        return next((release for prefix, release in self.releases.items() if begins(version, prefix)), Release())

    def declaration(self, stack: str, family: str, version: str, description: str = "") -> StackDeclaration:
        """Return the declaration of a stack of this family; `family`: its own name."""
        release = self.release(version)
        return StackDeclaration(
            stack=stack,
            family=family,
            mpi_library=self.mpi_library,
            library_version=self.library_version,
            version=version,
            library_file=self.library_file,
            launcher=(release.launcher or self.launcher).launcher(),
            environment=release.environment or self.environment,
            description=description or f"{self.mpi_library} {version}",
            tools=self.tools,
            transport=self.transport,
        )


class StackAlias(Record):
    """`spack_envs/<stack>/stack.yaml` of a stack of a family."""

    stack: str
    description: str
    family: str
    #: Prefix of the version: `5.0` accepts 5.0.11.
    version: str


def begins(version: str, prefix: str) -> bool:
    """Return True if a version is the prefix or begins with it: 5.0.11 with 5.0, and 5.01 does not."""
    return version == prefix or version.startswith(f"{prefix}.")
