# SPDX-License-Identifier: BSD-3-Clause
"""The report of a run as one file that can be mailed: its tables are in it, and no link leads out of it."""

from __future__ import annotations

import re
from base64 import b64encode
from pathlib import Path

from isochron.common.files import read_bytes
from isochron.postprocess.reading.inputs import RunInputs
from isochron.postprocess.report.render import whole

#: Bytes of the largest file that is taken into the page.
MOST = 4_000_000
LINK = re.compile(r'<a(?P<words>[^>]*?) href="\.\./(?P<path>[^"]*)"(?P<more>[^>]*)>(?P<text>.*?)</a>', re.DOTALL)
WHERE = re.compile(r'(<p id="files-where">).*?(</p>)', re.DOTALL)
TYPES = {".csv": "text/csv", ".json": "application/json", ".yaml": "text/plain"}


def mailed(inputs: RunInputs) -> str:
    """The page of a run that has been analysed. Raises FileError where it has not."""
    return embedded(whole(inputs), inputs.layout.root)


def embedded(page: str, root: Path) -> str:
    """A page whose links to files of the run hold these files, or lead to where the page holds them.

    The last link to a file is the one that holds it: those of the section of files. What is no small file of the run
    is no link any more.
    """
    last = {match["path"]: match.start() for match in LINK.finditer(page)}

    def link(match: re.Match[str]) -> str:
        path = match["path"]
        content = _content(root, path)
        if content is None:
            return f"<span>{match['text']}</span>"
        anchor = f"file-{re.sub(r'[^A-Za-z0-9]+', '-', path)}"
        if match.start() != last[path]:
            return f'<a{match["words"]} href="#{anchor}"{match["more"]}>{match["text"]}</a>'
        data = f"data:{TYPES[Path(path).suffix]};charset=utf-8;base64,{b64encode(content).decode()}"
        return f'<a id="{anchor}" href="{data}" download="{Path(path).name}">{match["text"]}</a>'

    said = "Tables and stacks are in this file: a click saves them. Raw data stay in the folder of the run."
    return WHERE.sub(rf"\g<1>{said}\g<2>", LINK.sub(link, page))


def unlinked(page: str) -> str:
    """A page without links to files of the run: on paper they lead nowhere."""
    return LINK.sub(r"<span>\g<text></span>", page)


def _content(root: Path, path: str) -> bytes | None:
    """A file of the run; None where it is none, or too large."""
    file = root / path
    if file.suffix not in TYPES or not file.is_file() or not file.resolve().is_relative_to(root.resolve()):
        return None
    return read_bytes(file) if file.stat().st_size <= MOST else None
