# SPDX-License-Identifier: BSD-3-Clause
"""Texts with marks that show what follows in another order than it has, or that steer a terminal."""

from __future__ import annotations

import pytest
from markupsafe import Markup

from isochron.common.terminal import Terminal
from isochron.common.text import is_printable, printable
from isochron.postprocess.report.render import templates

MARKS = [chr(number) for number in (*range(0x202A, 0x202F), *range(0x2066, 0x206A))]


@pytest.mark.parametrize("mark", [*MARKS, "\0", "\x1b", "\x7f", "\x85", "\r", "\ud800"], ids=ascii)
def test_no_reader_is_shown_one(mark: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert not is_printable(f"a{mark}b")
    assert printable(f"a{mark}b") == "a\ufffdb"
    Terminal().print(f"a{mark}b")
    assert capsys.readouterr().out == "a\ufffdb\n"
    assert templates().from_string("{{ text }}").render(text=f"a{mark}b") == "a\ufffdb"


def test_other_texts_stay() -> None:
    text = "Größe 5 µs\tשלום مرحبا 結果\n–"
    assert printable(text) == text and is_printable(text)
    assert templates().from_string("{{ text }}{{ mark }}").render(text=text, mark=Markup("<b>")) == f"{text}<b>"
