# SPDX-License-Identifier: BSD-3-Clause
"""The pages of a report: one file that works anywhere, and further ones beside it where it would be too large."""

from __future__ import annotations

from pathlib import Path

from markupsafe import Markup

from isochron.common.files import write_atomically
from isochron.postprocess.ingest.inputs__inputs import RunInputs
from isochron.postprocess.report.links import INDEX, EmbeddedLinks, Links, page_name
from isochron.postprocess.report.render__sheets import Sheets

#: The most bytes that a page has, and the section that never leaves it.
MOST, FIRST = 2_000_000, "answer"


def render(inputs: RunInputs, most: int = MOST) -> Path:
    """Write the report of what `analyse` left, in pages of at most `most` bytes where sections allow it.

    Returns the path of the first page. Raises FileError where something is missing.
    """
    folder = inputs.layout.report.parent
    files = parts(Sheets(inputs), most=most)
    for name, text in files.items():
        write_atomically(folder / name, text)
    for stale in {path for path in folder.glob("*.html") if path.name not in files}:
        stale.unlink()
    return inputs.layout.report


def standalone(inputs: RunInputs) -> str:
    """The report as one file that can be mailed: it holds its tables, and no link leads out of it. Raises FileError."""
    return Sheets(inputs).whole(EmbeddedLinks(inputs.layout.root))


def parts(sheets: Sheets, kind: type[Links] = Links, most: int = MOST) -> dict[str, str]:
    """The pages of a report by the names of their files: the first page, and the sections that had to leave it."""
    first = kind()
    bodies = {section.anchor: sheets.section(section, first) for section in sheets.sections}
    stubs = {section.anchor: sheets.stub(section, first) for section in sheets.sections}
    size = len(sheets.page(list(bodies.values()), first).encode())
    moved = _too_large(bodies, stubs, size, most)
    pages = {INDEX: sheets.page([stubs[each] if each in moved else bodies[each] for each in bodies], first)}
    for section in sheets.sections:
        if section.anchor in moved:
            links = kind(section.anchor, moved)
            pages[page_name(section.anchor)] = sheets.page([sheets.section(section, links)], links)
    return pages


def _too_large(bodies: dict[str, Markup], stubs: dict[str, Markup], size: int, most: int) -> list[str]:
    """The sections that leave a page of `size` bytes, the largest first, until it has at most `most`."""
    moved = []
    for anchor in sorted(set(bodies) - {FIRST}, key=lambda each: (-len(bodies[each]), each)):
        if size <= most:
            break
        moved.append(anchor)
        size -= len(bodies[anchor].encode()) - len(stubs[anchor].encode())
    return moved
