# SPDX-License-Identifier: BSD-3-Clause
"""A page that would be too large: its largest sections become pages beside it, which need no server either."""

from __future__ import annotations

import re

#: The page itself, the most bytes that it has, and the section that never leaves it.
INDEX, MOST, FIRST = "index.html", 2_000_000, "answer"

SECTION = re.compile(r'<section id="([^"]+)".*?</section>\n?', flags=re.DOTALL)
HEADING = re.compile(r'<h2 id="[^"]+">.*?</h2>', flags=re.DOTALL)


def parts(page: str, most: int = MOST) -> dict[str, str]:
    """Files and what stands in them: the page, and the sections that had to leave it. `page`: whole, as HTML."""
    found = {match[1]: match[0] for match in SECTION.finditer(page)}
    size = len(page.encode())
    moved: list[str] = []
    for anchor in sorted(set(found) - {FIRST}, key=lambda each: -len(found[each])):
        if size <= most:
            break
        moved.append(anchor)
        size -= len(found[anchor].encode()) - len(_stub(anchor, found[anchor]).encode())
    if not moved:
        return {INDEX: page}
    first, last = page.index(next(iter(found.values()))), page.rindex(list(found.values())[-1])
    head, foot = page[:first], page[last + len(list(found.values())[-1]) :]
    main = SECTION.sub(lambda match: _stub(match[1], match[0]) if match[1] in moved else match[0], page)
    files = {INDEX: main} | {f"{anchor}.html": head + found[anchor] + foot for anchor in moved}
    homes = {name: file for file, text in reversed(files.items()) for name in _names(text)}
    return {file: _linked(text, homes) for file, text in files.items()}


def _stub(anchor: str, section: str) -> str:
    """What is left of a section."""
    heading = HEADING.search(section)
    return (
        f'<section id="{anchor}" aria-labelledby="{anchor}-heading">\n{heading[0] if heading else ""}\n'
        f'<p>Too large for this page: <a href="{anchor}.html">{anchor}.html</a>.'
        "</p>\n</section>\n"
    )


def _names(text: str) -> list[str]:
    return re.findall(r'\bid="([^"]+)"', text)


def _linked(text: str, homes: dict[str, str]) -> str:
    """Links to what is on another page lead there."""
    own = set(_names(text))

    def link(match: re.Match[str]) -> str:
        name = match[1]
        return match[0] if name in own or name not in homes else f'href="{homes[name]}#{name}"'

    return re.sub(r'\bhref="#([^"]+)"', link, text)
