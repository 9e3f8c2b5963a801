# SPDX-License-Identifier: BSD-3-Clause
"""The answer as Markdown and the comparisons as LaTeX."""

import re
from typing import Any

from isochron.common.text import in_markdown
from isochron.postprocess.export.content import Content, Question
from isochron.postprocess.formatting import labels, numbers
from isochron.postprocess.subjects.answer.section import Answer

#: Established differences shown for each question, and findings.
SHOWN = 5


def markdown(content: Content) -> str:
    """Answers with their numbers, the largest established differences, the grade, and what else was found."""
    lines = [f"# {in_markdown(content.heading)}", ""]
    view = content.answer
    for answer in view.answers if view else []:
        lines += _answer(answer)
        asked = next(each for each in content.questions if (each.older, each.newer) == (answer.older, answer.newer))
        lines += _differences(content, asked)
    if view:
        lines += [f"Quality of the run: **{view.letter}** ({in_markdown(view.reason)})", ""]
    listed = [finding for finding in content.findings if finding.severity != "note"][:SHOWN]
    if listed:
        lines += ["## Findings", "", *(f"- {in_markdown(finding.text)}" for finding in listed), ""]
    lines.append(f"Report: `{content.inputs.layout.report.relative_to(content.inputs.layout.root)}` of this run")
    return "\n".join(lines) + "\n"


def _answer(answer: Answer) -> list[str]:
    """The decision, its sentence, and the numbers that it rests on."""
    table = [
        f"| {in_markdown(figure.label)} | {figure.value} {figure.interval} | {in_markdown(figure.where)} |"
        for figure in answer.figures
    ]
    return [
        f"## {answer.word}: {in_markdown(answer.older)} → {in_markdown(answer.newer)}",
        "",
        in_markdown(answer.sentence),
        "",
        "| | time newer / older | |",
        "|---|---|---|",
        *table,
        "",
    ]


def _differences(content: Content, question: Question) -> list[str]:
    """The largest differences that are established."""
    rows = question.rows[question.rows["verdict"].isin(["slower", "faster"])]
    if rows.empty:
        return []
    order = rows["ratio"].where(rows["ratio"] >= 1, 1 / rows["ratio"]).sort_values(ascending=False).index
    shown = [
        f"- {in_markdown(labels.case(row, content.inputs))}: {row['verdict']}, {numbers.ratio(row['ratio'])} "
        f"{in_markdown(numbers.ratio_interval(row['ratio_low'], row['ratio_high']) + _another_job(row))}"
        for row in rows.loc[order[:SHOWN]].to_dict("records")
    ]
    more = len(rows) - len(shown)
    return [*shown, *([f"- and {more} more in tables/comparison.csv"] if more > 0 else []), ""]


def _another_job(row: dict[Any, Any]) -> str:
    """`, another job [1.1; 1.4]`; nothing if that is not known: the answer states why."""
    return f", another job {labels.another_job(row)}" if row["next_low"] > 0 else ""


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

HEADINGS = ("Case", "Ratio", "Interval", "Another job", "Blocks", "Verdict")


def latex(content: Content) -> str:
    """A `longtable` for each question."""
    lines = ["% needs \\usepackage{booktabs,longtable,textcomp}", re.sub(r"\s+", " ", f"% {content.heading}")]
    for question in content.questions:
        lines += _table(content, question)
    return "\n".join(lines) + "\n"


def _table(content: Content, question: Question) -> list[str]:
    campaign = content.inputs.campaign
    caption = (
        f"Time of {question.newer} / time of {question.older}, with intervals of "
        f"{numbers.given_percent(campaign.analysis.confidence)} and, of another job, {numbers.given_percent(0.9)}; "
        f"{content.heading}"
    )
    rows = [
        (
            labels.case(row, content.inputs),
            numbers.significant(row["ratio"]),
            numbers.ratio_interval(row["ratio_low"], row["ratio_high"]),
            labels.another_job(row) or numbers.NONE,
            str(row["blocks"]),
            row["verdict"],
        )
        for row in question.rows.to_dict("records")
    ]
    head = " & ".join(HEADINGS) + r" \\"
    return [
        "",
        r"\begin{longtable}{lrllrl}",
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
