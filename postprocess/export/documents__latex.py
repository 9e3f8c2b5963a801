# SPDX-License-Identifier: BSD-3-Clause
"""The comparisons of the question as tables of a paper (LaTeX with booktabs and longtable)."""

from __future__ import annotations

import re

from isochron.postprocess.export.content import Content, Question
from isochron.postprocess.formatting import labels__labels as labels
from isochron.postprocess.formatting import numbers__numbers as numbers

#: What LaTeX takes for something else.
SPECIAL = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "µ": r"\textmu{}",
    "×": r"$\times$",
    "→": r"$\to$",
    "∞": r"$\infty$",
    "–": "--",
    numbers.GAP: r"\,",
}

HEADINGS = ("Case", "Ratio", "Interval", "Blocks", "Verdict")


def latex(content: Content) -> str:
    """A `longtable` for each question."""
    lines = ["% needs \\usepackage{booktabs,longtable,textcomp}", f"% {_in_a_line(content.heading)}"]
    for question in content.questions:
        lines += _table(content, question)
    return "\n".join(lines) + "\n"


def _table(content: Content, question: Question) -> list[str]:
    campaign = content.inputs.campaign
    caption = (
        f"Time of {question.newer} / time of {question.older}, with intervals of "
        f"{numbers.given_percent(campaign.analysis.confidence)}; {content.heading}"
    )
    rows = [
        (
            labels.case(row, content.inputs),
            numbers.significant(row["ratio"]),
            numbers.ratio_interval(row["ratio_low"], row["ratio_high"]),
            str(row["blocks"]),
            row["verdict"],
        )
        for row in question.rows.to_dict("records")
    ]
    head = " & ".join(HEADINGS) + r" \\"
    return [
        "",
        r"\begin{longtable}{lrlrl}",
        rf"\caption{{{escaped(caption)}}}\\",
        r"\toprule",
        head,
        r"\midrule",
        r"\endhead",
        *(" & ".join(escaped(cell) for cell in row) + r" \\" for row in rows),
        r"\bottomrule",
        r"\end{longtable}",
    ]


def escaped(text: str) -> str:
    """A text whose characters mean nothing in LaTeX."""
    return "".join(SPECIAL.get(character, character) for character in text)


def _in_a_line(text: str) -> str:
    return re.sub(r"\s+", " ", text)
