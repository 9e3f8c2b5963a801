# SPDX-License-Identifier: BSD-3-Clause
"""Text that came from outside, made fit to be shown; and Markdown, written and read without its marks."""

from __future__ import annotations

import re
import unicodedata

#: Control characters that lay text out.
LAYOUT = "\n\t"

#: Characters that mean something in Markdown.
MARKS = r"\\`*_{}\[\]<>|#"


def is_printable(text: str) -> bool:
    """Whether the text has no control character but line end and tab, and nothing that UTF-8 cannot hold."""
    return all(_is_shown(character) for character in text)


def printable(text: str) -> str:
    """The text with U+FFFD in the place of what is not printable: an escape sequence does not reach a terminal."""
    if is_printable(text):
        return text
    return "".join(character if _is_shown(character) else "\N{REPLACEMENT CHARACTER}" for character in text)


def _is_shown(character: str) -> bool:
    return character in LAYOUT or unicodedata.category(character) not in ("Cc", "Cs")


def is_a_line(text: str) -> bool:
    """Whether the text is one line wherever it is written: nothing in it ends a line, and it can be shown."""
    return in_a_line(text) == text


def in_a_line(text: str) -> str:
    """The text with U+FFFD in the place of every character that ends a line somewhere, or cannot be shown."""
    ends = ("Cc", "Cs", "Zl", "Zp")
    return "".join("\N{REPLACEMENT CHARACTER}" if unicodedata.category(each) in ends else each for each in text)


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
