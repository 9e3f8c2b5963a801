# SPDX-License-Identifier: BSD-3-Clause
"""Where the links of a report lead, decided before a page is rendered: to sections, and to files of the run."""

import re
from base64 import b64encode
from collections.abc import Collection
from pathlib import Path

from isochron.common.files import read_bytes

#: The first page of a report.
INDEX = "index.html"
#: Bytes of the largest file that a page holds, and the types of those that it may hold.
MAX_HELD = 4_000_000
TYPES = {".csv": "text/csv", ".json": "application/json", ".yaml": "text/plain"}


class Links:
    """The links of a page in the folder of its run.

    `own`: anchor of the section that the page has, empty for the first page; `moved`: the sections with such pages.
    """

    #: What the section of files says about its links.
    note = "The links work where the report lies in the folder of its run."

    def __init__(self, own: str = "", moved: Collection[str] = ()) -> None:
        self.own, self.moved = own, moved

    def section(self, anchor: str) -> str:
        """Address of a section; the first page has at least a heading of each."""
        if self.own in ("", anchor):
            return f"#{anchor}"
        return f"{page_name(anchor) if anchor in self.moved else INDEX}#{anchor}"

    def page(self, anchor: str) -> str:
        """Address of the page of a section that has one of its own; empty if the page cannot lead there."""
        return page_name(anchor)

    def file(self, path: str) -> str:
        """Address of a file of the run; empty if the page cannot lead to it. `path`: in the folder of the run."""
        return f"../{path}"

    def held(self, path: str) -> dict[str, str]:
        """Attributes of the link to a file in the section of files; none if there is no link."""
        return {"href": self.file(path)}


class EmbeddedLinks(Links):
    """The links of a page that is alone: its section of files holds the small files of the run, and links lead there.

    `root`: folder of the run.
    """

    note = "Tables and stacks are in this file: a click saves them. Raw data stay in the folder of the run."

    def __init__(self, root: Path) -> None:
        super().__init__()
        self.root = root

    def file(self, path: str) -> str:
        """Address of the place in the page that holds the file."""
        return f"#{_anchor(path)}" if self._can_hold(path) else ""

    def held(self, path: str) -> dict[str, str]:
        """The file itself, as the address of a link that saves it."""
        if not self._can_hold(path):
            return {}
        content = b64encode(read_bytes(self.root / path)).decode()
        address = f"data:{TYPES[Path(path).suffix]};charset=utf-8;base64,{content}"
        return {"id": _anchor(path), "href": address, "download": Path(path).name}

    def _can_hold(self, path: str) -> bool:
        """Return True if this is a file of the run that is not too large."""
        file = self.root / path
        if file.suffix not in TYPES or not file.resolve().is_relative_to(self.root.resolve()):
            return False
        try:
            return len(read_bytes(file)) <= MAX_HELD
        except OSError:
            return False


class PrintedLinks(Links):
    """The links of a page on paper, where those to files and to other pages lead nowhere."""

    note = "These files are in the folder of the run."

    def page(self, anchor: str) -> str:  # noqa: ARG002
        """None."""
        return ""

    def file(self, path: str) -> str:  # noqa: ARG002
        """None."""
        return ""

    def held(self, path: str) -> dict[str, str]:  # noqa: ARG002
        """None."""
        return {}


def page_name(anchor: str) -> str:
    """Name of the page of a section that has one of its own."""
    return f"{anchor}.html"


def _anchor(path: str) -> str:
    return f"file-{re.sub(r'[^A-Za-z0-9]+', '-', path)}"
