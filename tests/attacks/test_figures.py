# SPDX-License-Identifier: BSD-3-Clause
"""Figures of somebody else's run that would change the page, or that have no size: refused in words."""

from __future__ import annotations

import pytest

from isochron.postprocess.kit.svg import STYLE, themed

BOX = 'viewBox="0 0 100 50"'
BAD = {
    "a child of the style sheet": (
        f'<svg {BOX}><style>{STYLE}<g>body::before{{content: "SPOOFED VERDICT"}}</g></style></svg>', "style sheet"),
    "text after a child": (f"<svg {BOX}><style>{STYLE}<g/>*{{color: red}}</style></svg>", "style sheet"),
    "no box": ("<svg><g/></svg>", "no viewBox"),
    "a box of words": ('<svg viewBox="a b c d"><g/></svg>', "not a number up to 999999: a"),
    "an endless box": (
        '<svg viewBox="0 0 1e999 1"><text style="font-size: 10px">x</text></svg>', "not a number up to 999999: 1e999"),
    "a box that is no number": ('<svg viewBox="0 0 nan 1"><text style="font-size: 10px">x</text></svg>', "nan"),
    "letters of no size": (f'<svg {BOX}><text style="font-size: 1e999px">x</text></svg>', "1e999"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "said"), BAD.values(), ids=BAD.keys())
def test_it_is_refused(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=r"^it has ") as error:
        themed(text, "f1", "Title", "Description")
    assert said in str(error.value)


def test_a_figure_of_isochron_is_taken() -> None:
    style = f'<style type="text/css">{STYLE}</style>'
    page = themed(f'<svg {BOX}><defs>{style}</defs><text style="font-size: 10px">x</text></svg>', "f1", "A", "B")
    assert "--readable: 120px" in page and STYLE in page
