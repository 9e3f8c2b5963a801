# SPDX-License-Identifier: BSD-3-Clause
"""Text from outside, made safe to show or to put in a cell; and Markdown, with and without its marks."""

import re
from collections.abc import Mapping, Sequence

#: Characters that are not text: control characters except line end and tab, surrogates (UTF-8 cannot encode them), and
#: marks that change the displayed order of the text after them (Boucher, Anderson: Trojan Source, 2021).
UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069]")

#: Further characters that a single line must not contain: tabs, and characters that some programs take as a line end.
BETWEEN_LINES = re.compile("[\t\n\u2028\u2029]")

#: Characters with a meaning in Markdown.
MARKS = r"\\`*_{}\[\]<>|#"

#: The beginning of a text that a spreadsheet executes (OWASP: CSV Injection), or that was escaped before; and numbers,
#: which are exempt.
FORMULA = re.compile(r"'*[=+\-@\t]")
NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")


def assignments(variables: Mapping[str, str]) -> str:
    """Return variables of the environment as people write them: `A=1 B=2`."""
    return " ".join(f"{name}={value}" for name, value in variables.items())


def first_of(names: Sequence[str], most: int) -> str:
    """Return names as a list, of many the first `most` and the number of the others."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"{', '.join(names[:most])}{more}"


def is_printable(text: str) -> bool:
    """Return True if the text contains nothing that is `UNPRINTABLE`."""
    return not UNPRINTABLE.search(text)


def printable(text: str) -> str:
    """Replace unprintable characters by U+FFFD, so that no escape sequence reaches a terminal."""
    return UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", text)


def is_a_line(text: str) -> bool:
    """Return True if the text is one printable line: no character in it ends a line anywhere."""
    return in_a_line(text) == text


def in_a_line(text: str) -> str:
    """Replace by U+FFFD every character that ends a line in some program or is not printable."""
    return BETWEEN_LINES.sub("\N{REPLACEMENT CHARACTER}", printable(text))


def in_markdown(text: str) -> str:
    """Escape the characters that have a meaning in Markdown."""
    return re.sub(f"([{MARKS}])", r"\\\1", text)


def without_marks(markdown: str) -> str:
    """Convert Markdown to plain text: without marks of headings, emphasis and code, tables as columns."""
    text = re.sub(r"(?m)^\|[-:| ]+\|\n", "", markdown)
    text = re.sub(r"(?m)^\| (.*) \|$", lambda row: "  " + re.sub(r"\s*(?<!\\)\|\s*", "  ", row[1]).strip(), text)
    text = re.sub(r"(?m)^#+ ", "", text)
    text = re.sub(r"(?<!\\)(\*\*|`)", "", text)
    return re.sub(f"\\\\([{MARKS}])", r"\1", text)


def in_a_cell(text: str) -> str:
    """Make a text safe for a cell of a CSV file: printable, with an apostrophe before anything like a formula.

    Numbers are not changed. `of_a_cell` removes the apostrophe again, and from no other text.
    """
    shown = printable(text)  # some readers start a new line at a carriage return
    return f"'{shown}" if FORMULA.match(shown) and not NUMBER.fullmatch(shown) else shown


def of_a_cell(cell: str) -> str:
    """Undo `in_a_cell`."""
    return cell[1:] if cell.startswith("'") and FORMULA.match(cell, 1) else cell


def natural(name: str) -> list[tuple[int, int | str]]:
    """Return a key that sorts `n2` before `n10`."""
    return [(0, int(part)) if part.isdigit() else (1, part) for part in re.findall(r"\d+|\D+", name)]
