# SPDX-License-Identifier: BSD-3-Clause
"""The comparisons of the question as tests of a pipeline: what is slower fails, what is open is skipped."""

from __future__ import annotations

from xml.etree import ElementTree

from isochron.postprocess.export.content import Content, Question
from isochron.postprocess.formatting import labels__labels as labels
from isochron.postprocess.formatting import numbers__numbers as numbers

#: Verdicts in which nothing is decided.
OPEN = ("inconclusive", "missing", "new")


def junit(content: Content) -> str:
    """JUnit's XML: a suite for each question, a test for each case."""
    root = ElementTree.Element("testsuites", name=content.heading)
    for question in content.questions:
        _suite(root, content, question)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _suite(root: ElementTree.Element, content: Content, question: Question) -> None:
    verdicts = question.rows["verdict"]
    suite = ElementTree.SubElement(
        root,
        "testsuite",
        name=f"{question.newer} against {question.older}",
        tests=str(len(verdicts)),
        failures=str(int((verdicts == "slower").sum())),
        errors="0",
        skipped=str(int(verdicts.isin(OPEN).sum())),
    )
    for row in question.rows.to_dict("records"):
        name = f"{labels.case(row, content.inputs)}, {labels.point(row)}"
        test = ElementTree.SubElement(suite, "testcase", name=name, classname=f"isochron.{question.newer}")
        said = f"{numbers.ratio(row['ratio'])} {numbers.ratio_interval(row['ratio_low'], row['ratio_high'])}"
        if row["verdict"] == "slower":
            ElementTree.SubElement(test, "failure", message=f"slower: {said}", type="slower")
        elif row["verdict"] in OPEN:
            ElementTree.SubElement(test, "skipped", message=f"{row['verdict']}: {said}")
        else:
            ElementTree.SubElement(test, "system-out").text = f"{row['verdict']}: {said}"
