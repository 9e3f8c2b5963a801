# SPDX-License-Identifier: BSD-3-Clause
"""Text from outside, made safe to show or to put in a cell; and Markdown, with and without its marks."""

from __future__ import annotations

import re

#: What is no text: control characters but line end and tab, halves of characters (UTF-8 cannot hold them), and marks
#: that show the text after them in another order than it has (Boucher, Anderson: Trojan Source, 2021).
UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069]")

#: What a single line does not hold beside these: tabs, and what ends a line somewhere.
BETWEEN_LINES = re.compile("[\t\n\u2028\u2029]")

#: Characters that mean something in Markdown.
MARKS = r"\\`*_{}\[\]<>|#"

#: How a text begins that a spreadsheet executes (OWASP: CSV Injection), or that has been made harmless before; and what
#: begins so and is a number.
FORMULA = re.compile(r"'*[=+\-@\t]")
NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")


def is_printable(text: str) -> bool:
    """Whether nothing in the text is `UNPRINTABLE`."""
    return not UNPRINTABLE.search(text)


def printable(text: str) -> str:
    """The text with U+FFFD in the place of what is not printable: an escape sequence does not reach a terminal."""
    return UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", text)


def is_a_line(text: str) -> bool:
    """Whether the text is one line wherever it is written: nothing in it ends a line, and it can be shown."""
    return in_a_line(text) == text


def in_a_line(text: str) -> str:
    """The text with U+FFFD in the place of every character that ends a line somewhere, or cannot be shown."""
    return BETWEEN_LINES.sub("\N{REPLACEMENT CHARACTER}", printable(text))


def in_markdown(text: str) -> str:
    """A text whose characters mean nothing in Markdown."""
    return re.sub(f"([{MARKS}])", r"\\\1", text)


def without_marks(markdown: str) -> str:
    """Markdown as plain text: no marks of headings, emphasis and code, tables as columns."""
    text = re.sub(r"(?m)^\|[-:| ]+\|\n", "", markdown)
    text = re.sub(r"(?m)^\| (.*) \|$", lambda row: "  " + re.sub(r"\s*(?<!\\)\|\s*", "  ", row[1]).strip(), text)
    text = re.sub(r"(?m)^#+ ", "", text)
    text = re.sub(r"(?<!\\)(\*\*|`)", "", text)
    return re.sub(f"\\\\([{MARKS}])", r"\1", text)


def in_a_cell(text: str) -> str:
    """A printable text as a cell of a CSV file: an apostrophe before what a spreadsheet would take for a formula.

    Numbers stay as they are. `of_a_cell` takes it away again, and from no other text.
    """
    shown = printable(text)  # a carriage return within a cell begins a line for some readers
    return f"'{shown}" if FORMULA.match(shown) and not NUMBER.fullmatch(shown) else shown


def of_a_cell(cell: str) -> str:
    """The text of which `in_a_cell` has made the cell."""
    return cell[1:] if cell.startswith("'") and FORMULA.match(cell, 1) else cell
