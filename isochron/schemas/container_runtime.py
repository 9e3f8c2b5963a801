# SPDX-License-Identifier: BSD-3-Clause
"""Container runtimes: one file each, `reframe_checks/sites/runtimes/<name>.yaml`, which all others read."""

from collections.abc import Sequence

from pydantic import Field

from isochron.common.resources import shipped
from isochron.schemas.base import Record
from isochron.schemas.kinds import named_kind, read_kinds

FOLDER = ("sites", "runtimes")


class ContainerRuntime(Record):
    """A program that runs a command inside an image.

    `enter` are the words before the command: `{image}`, and words of their own `{binds}`, `{variables}`, `{options}`
    (those of the stack) and `{peers}` for several.
    """

    description: str
    enter: list[str] = Field(min_length=1)
    #: Words that make a folder of the machine visible at the same path: `{folder}`; empty: all folders are visible.
    bind: list[str] = Field(default_factory=list)
    #: Folders of the machine that are bound besides those of the run: others than these are shared anyway.
    folders: list[str] = Field(default_factory=list)
    #: Words by which the ranks that a launcher starts on a node share their namespaces, without which they may not read
    #: each other's memory (`{processes_per_node}`, `{launch}`).
    peers: list[str] = Field(default_factory=list)
    #: Whether it makes the folder in the image where one is bound that the image does not have.
    makes_folders: bool = True
    #: Words that hand a variable (`{name}`, which may end with `*`) to the command; empty: all are handed on.
    variable: list[str] = Field(default_factory=list)
    #: Command that prints the digest of `{image}`; empty: images are files or folders, and their content is hashed.
    digest: list[str] = Field(default_factory=list)
    #: How an image is got, for messages.
    get: str
    #: Whether a launcher outside can start each rank in the image.
    starts_ranks: bool = True
    #: Whether users need user namespaces for it.
    namespaces: bool = True

    @property
    def program(self) -> str:
        """The program that enters the image."""
        return self.enter[0]

    def words(
        self,
        image: str,
        options: Sequence[str],
        folders: Sequence[str],
        variables: Sequence[str],
        *,
        peers: bool = False,
    ) -> list[str]:
        """Return the words before a command that runs inside an image and sees some folders of the machine.

        `peers`: the command is a rank of a launch that has others on the node, each in the image by such words.
        """
        bound = dict.fromkeys([*self.folders, *folders]) if self.bind else {}
        several = {
            "{binds}": [word.replace("{folder}", folder) for folder in bound for word in self.bind],
            "{variables}": [word.replace("{name}", name) for name in variables for word in self.variable],
            "{options}": list(options),
            "{peers}": self.peers if peers else [],
        }
        return [text.replace("{image}", image) for word in self.enter for text in several.get(word, [word])]


def runtimes() -> dict[str, ContainerRuntime]:
    """Return every container runtime by its name, sorted. Raises FileError."""
    return read_kinds(ContainerRuntime, shipped("reframe_checks", *FOLDER))


def load_runtime(name: str) -> ContainerRuntime:
    """Return a container runtime. Raises FileError."""
    return named_kind(runtimes(), name, "container runtime", "runtimes")
