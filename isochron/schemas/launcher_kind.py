# SPDX-License-Identifier: BSD-3-Clause
"""Kinds of launchers: one file each, `reframe_checks/sites/launchers/<name>.yaml`, which all others read."""

from collections.abc import Mapping, Sequence

from pydantic import Field

from isochron.common.resources import shipped
from isochron.schemas.base import Record
from isochron.schemas.kinds import named_kind, read_kinds
from isochron.schemas.scheduler_kind import scheduler_name


class RankVariables(Record):
    """Variables by which a process reads its rank and the number of processes.

    `order`: smaller numbers are read first; processes of an inner launcher have the variables of the outer one, too.
    `size` None: the launcher states no number of processes.
    """

    order: int
    rank: str
    size: str | None = None


class LauncherKind(Record):
    """A launcher: of a site, by ReFrame's name if it has one, or of a library (`of_library`).

    Words are templates as in `isochron.schemas.run.manifest.Launcher`; `{pmi}` is the launcher's word for the interface
    by which the ranks of a library connect. `{prefix}`: folder of the library.
    """

    description: str
    of_library: bool = False
    packed: list[str] = Field(min_length=1)
    #: For launches whose ranks have prescribed hosts; None: it cannot place ranks.
    placed: list[str] | None = None
    #: Whether it alone starts processes on the nodes of its jobs: the launchers of libraries do not reach them.
    alone: bool = False
    #: Words that bind each process to a core, where the library does not bind its processes itself.
    bind: list[str] = Field(default_factory=list)
    #: Word -> what replaces it where each process has several threads, `{threads}`, and a core for each.
    threaded: dict[str, list[str]] = Field(default_factory=dict)
    #: What gives processes cores of their own where it was asked for that and did not: `FILE: KEY`.
    not_bound: str | None = None
    #: Added if a node has more processes than cores.
    overcommit: list[str] = Field(default_factory=list)
    #: Options and variables with which several launches run on the same cores at once; None: it cannot do that.
    concurrent: list[str] | None = None
    concurrent_variables: dict[str, str] = Field(default_factory=dict)
    #: Interface of a library (`launcher.pmi` of its family) -> the launcher's word for it; empty: it needs no word.
    #: A library with an interface that is not listed is not started by this launcher.
    pmi: dict[str, str] = Field(default_factory=dict)
    #: Interface -> the package that brings it to this launcher, where that is another one.
    pmi_from: dict[str, str] = Field(default_factory=dict)
    #: Command that prints the words for interfaces that it has on this machine, one a line; empty: there is none. The
    #: job then replaces `{pmi}`: by the word, a version of it (pmix_v4), or what the site names in `pmi_variable`.
    list_pmi: list[str] = Field(default_factory=list)
    pmi_variable: str = ""
    #: Schedulers in whose jobs it starts processes (files in `reframe_checks/sites/schedulers`); empty: in all.
    schedulers: list[str] = Field(default_factory=list)
    rank_variables: list[RankVariables] = Field(default_factory=list)
    #: Patterns of its variables that are unset before a launch, since they affect other launchers and libraries.
    stray_variables: list[str] = Field(default_factory=list)
    #: Variables that every launch gets, whatever the site sets.
    variables: dict[str, str] = Field(default_factory=dict)
    #: Its message, as a regular expression, of the rank that failed first; later messages are of ranks that it ended.
    rank_failed: str | None = None
    #: Message, as a regular expression, if the job is being ended before the launch starts.
    job_is_over: str | None = None

    def works_under(self, back_end: str) -> bool:
        """Return True if it starts processes in a job of that back end of ReFrame; `local` may be within any job."""
        return not self.schedulers or scheduler_name(back_end) in ("local", *self.schedulers)


def threaded(words: Sequence[str], replaced: Mapping[str, list[str]], threads: int) -> list[str]:
    """Return the words with which each process has a core for each of its threads (`LauncherKind.threaded`)."""
    return [new for word in words for new in (replaced.get(word, [word]) if threads > 1 else [word])]


FOLDER = ("sites", "launchers")


def launcher_kinds() -> dict[str, LauncherKind]:
    """Return every kind of launcher by its name, sorted. Raises FileError."""
    return read_kinds(LauncherKind, shipped("reframe_checks", *FOLDER))


def load_launcher_kind(name: str) -> LauncherKind:
    """Return a kind of launcher. Raises FileError."""
    return named_kind(launcher_kinds(), name, "launcher", "launchers")


def site_launchers() -> dict[str, LauncherKind]:
    """Return the launchers of sites by name: those that start the stacks of any library with a suitable interface."""
    return {name: kind for name, kind in launcher_kinds().items() if not kind.of_library}


def alone_launchers() -> set[str]:
    """Return the launchers that alone start processes on the nodes of their jobs."""
    return {name for name, kind in launcher_kinds().items() if kind.alone}


def stray_variables() -> list[str]:
    """Return the patterns of variables of all launchers that are unset before a launch."""
    return sorted({pattern for kind in launcher_kinds().values() for pattern in kind.stray_variables})
