# SPDX-License-Identifier: BSD-3-Clause
"""The commands of the pages, and what those that no test runs are marked with.

A block whose commands are not to be run has a line before it, `<!-- needs: REASON -->`; where only some of them are
meant, `<!-- needs: REASON: isochron run demo -->` names them by how they begin, once for each.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]

#: Why a command of a page may be run by no test: all that counts as a reason.
NEEDS = {
    "a package index": "it makes an environment; the services for tests run it, or tests/install",
    "a site": "a scheduler, a mail or a web server, and what a site has chosen itself",
    "a network of hosts": "many hosts, or a simulator of them, and minutes",
    "a container engine": "podman, docker",
    "Spack": "Spack 1.0 or newer; tests/spack_envs/test_real_spack.py has one",
    "SimGrid": "a simulator that not every machine has; tests/end_to_end and tests/workflows have it",
    "minutes": "it measures or tests for minutes what other tests do in seconds",
    "a screen": "somebody who looks",
    "something of yours": "a part that the reader writes",
}

BLOCK = re.compile(
    r"(?P<marks>(?:^[ ]*<!-- needs: [^\n]+ -->\n)*)^(?P<indent>[ ]*)```(?P<kind>console|sh|bash|shell)\n"
    r"(?P<text>.*?)^(?P=indent)```$",
    flags=re.MULTILINE | re.DOTALL,
)
MARK = re.compile(r"<!-- needs: ([^:\n]+?)(?:: ([^\n]+?))? -->")
#: What stands between two commands of a line.
BETWEEN = {"|", "||", "&", "&&", ";", "(", ")", "{", "}"}


@dataclass(frozen=True)
class Command:
    """A command of a page, as it is written. `needs`: why it is not run, or nothing."""

    page: Path
    text: str
    needs: str

    @property
    def where(self) -> str:
        return f"{self.page.relative_to(ROOT)}: {self.text.splitlines()[0]}"

    def calls(self) -> list[list[str]]:
        """The words of each call of a program in it."""
        found: list[list[str]] = []
        pending = ""
        for line in self.text.splitlines():
            pending += f"{line}\n"
            try:
                words = _words(pending)
            except ValueError:  # a quotation or a command goes on in the next line
                continue
            pending = ""
            found.append([])
            for word in words:
                if word in BETWEEN:
                    found.append([])
                else:
                    found[-1].append(word)
        if pending:
            raise ValueError(f"{self.where}: a quotation does not end")
        return [words for words in found if words]


def commands(page: Path) -> list[Command]:
    """All of a page. Raises ValueError where a mark has no reason, or names nothing."""
    found = []
    for block in BLOCK.finditer(page.read_text(encoding="utf-8")):
        marks = MARK.findall(block["marks"])
        unknown = [reason for reason, _ in marks if reason not in NEEDS]
        if unknown:
            raise ValueError(f"{page.name}: needs {unknown}: none of {list(NEEDS)}")
        lines = _split(block["kind"], block["text"].replace(f"\n{block['indent']}", "\n"))
        for reason, begin in marks:
            if not any(line.startswith(begin) for line in lines):
                raise ValueError(f"{page.name}: needs {reason}: no command begins with {begin!r}")
        found += [Command(page, line, _reason(line, marks)) for line in lines]
    return found


def _words(text: str) -> list[str]:
    reader = shlex.shlex(text, posix=True, punctuation_chars="|&;(){}")
    reader.whitespace_split, reader.commenters = True, "#"
    return list(reader)


def _split(kind: str, text: str) -> list[str]:
    """The commands of a block: lines behind `$` where output may stand between them, else the block as a whole."""
    text = text.strip()
    if kind != "console":
        lone = all(re.match(r"(isochron|sudo) ", line) for line in text.splitlines())
        return text.splitlines() if lone else [text]
    joined = re.sub(r"\\\n\s*", "", text)
    return [line[2:].strip() for line in joined.splitlines() if line.startswith("$ ")]


def _reason(command: str, marks: list[tuple[str, str]]) -> str:
    return next((reason for reason, begin in marks if command.startswith(begin)), "")
