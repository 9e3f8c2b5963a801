# SPDX-License-Identifier: BSD-3-Clause
"""The packages within postprocess: which may import which, and what a subject is made of (docs/design.md)."""

from __future__ import annotations

import ast
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from isochron.postprocess.kit.figure import FigureInfo
from isochron.postprocess.kit.finding import Finding
from isochron.postprocess.kit.section import Section
from isochron.postprocess.subjects import registry
from isochron.postprocess.subjects.views.section import VIEWS
from tests.repository.test_structure import ROOT, imports, modules, nodes, tracked

pytestmark = pytest.mark.xdist_group("sources")  # one process reads all sources once for these files

#: Packages of postprocess, those within `estimate` by themselves, and those that each may import.
ARROWS: dict[str, set[str]] = {
    "ingest": set(),
    "formatting": {"ingest"},
    "estimate.values": {"ingest", "formatting"},
    "estimate.history_cache": {"ingest", "estimate.values"},
    "estimate.models": {"ingest", "formatting"},
    "estimate.machine": {"ingest", "formatting"},
    "estimate.answer": {"ingest", "estimate.values", "estimate.compare"},
    "estimate.compare": {"ingest", "estimate.values", "estimate.models", "estimate.history_cache"},
    "estimate.guidelines": {"ingest", "formatting", "estimate.compare"},
    "kit": {"ingest", "formatting", "estimate.values", "estimate.compare"},
    "subjects": {
        "ingest",
        "formatting",
        "estimate.values",
        "estimate.models",
        "estimate.machine",
        "estimate.answer",
        "estimate.compare",
        "estimate.guidelines",
        "kit",
    },
    "analysis": {"ingest", "formatting", "estimate.compare", "kit", "subjects"},
    "report": {"ingest", "formatting", "estimate.values", "kit", "subjects", "analysis"},
    "site": {
        "ingest",
        "formatting",
        "estimate.answer",
        "estimate.compare",
        "estimate.history_cache",
        "kit",
        "subjects",
        "analysis",
        "report",
    },
    "export": {
        "ingest",
        "formatting",
        "estimate.answer",
        "estimate.compare",
        "kit",
        "subjects",
        "analysis",
        "report",
    },
}
SUBJECTS = ROOT / "postprocess" / "subjects"
#: Modules of a subject by the ends of their names, the lowest first: one imports only those before it, of any subject.
LEVELS = ("table", "figure", "finding", "section")


def package(parts: list[str]) -> str:
    """The package of a module. `parts`: its dotted name after `isochron.postprocess`."""
    return ".".join(parts[:2]) if parts[0] == "estimate" else parts[0]


def used_packages() -> dict[str, tuple[str, set[str]]]:
    """Of each module in a package of postprocess its package, and the other packages that it imports."""
    names = {name: path for name, path in modules().items() if name.startswith("isochron.postprocess.")}
    parts = {name: name.split(".")[2:] for name in names}
    within = {name for name, path in names.items() if len(parts[name]) > 1 and path.name != "__init__.py"}
    return {
        name: (
            package(parts[name]),
            {package(parts[target]) for target in imports(names[name]) if target in within} - {package(parts[name])},
        )
        for name in within
    }


def test_imports_between_packages_go_one_way() -> None:
    used = used_packages()
    assert {own for own, _ in used.values()} == set(ARROWS)
    wrong = [f"{name} imports {other}" for name, (own, others) in used.items() for other in others - ARROWS[own]]
    assert not wrong, "\n".join(wrong)


def test_the_table_has_no_circle_and_no_unused_entry() -> None:
    tuple(TopologicalSorter(ARROWS).static_order())
    used = {(own, other) for own, others in used_packages().values() for other in others}
    assert {(own, other) for own, others in ARROWS.items() for other in others} == used


def test_no_module_is_outside_a_package() -> None:
    loose = {path.name for path in tracked(".py") if path.parent == ROOT / "postprocess"}
    assert loose == {"__init__.py", "__main__.py"}


def level(path: Path) -> int:
    """The level of a module of a subject; others, such as calculations of one subject, are below all."""
    return next((number for number, end in enumerate(LEVELS) if path.stem.endswith(end)), -1)


def test_tables_of_subjects_do_not_import_what_shows_them() -> None:
    names = {name: path for name, path in modules().items() if path.parent.parent == SUBJECTS}
    wrong = [
        f"{name} imports {target}"
        for name, path in names.items()
        for target in imports(path)
        if target in names and level(names[target]) > level(path) >= 0
    ]
    assert len(names) > 80
    assert not wrong, "\n".join(wrong)


def test_every_subject_is_in_the_list() -> None:
    folders = {path.name for path in SUBJECTS.iterdir() if (path / "__init__.py").is_file()}
    names = (target.split(".") for target in imports(SUBJECTS / "registry.py"))
    assert {parts[3] for parts in names if parts[2:3] == ["subjects"]} == folders
    assert len(registry.SUBJECTS) == len(set(map(id, registry.SUBJECTS))) == len(folders)


def test_no_two_subjects_declare_the_same() -> None:
    for names in (
        [frame.name for frame in registry.ALL_SAVED],
        [section.anchor for section in registry.SECTIONS],
        [function for subject in registry.SUBJECTS for function in (*subject.figures, *subject.findings)],
    ):
        assert len(names) == len(set(names))


def keywords(call: str, name: str) -> set[str]:
    """The constant values of a keyword, or of the first argument, in all calls of a function within subjects."""
    of_subjects = (node for path in SUBJECTS.rglob("*.py") for node in nodes(path))
    calls = [
        node for node in of_subjects if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] == call
    ]
    values = [each.value for node in calls for each in node.keywords if each.arg == name]
    values += [node.args[0] for node in calls if node.args and not name]
    return {value.value for value in values if isinstance(value, ast.Constant)}


def test_every_figure_is_in_a_section() -> None:
    shown = keywords("figures_of", "") | {f"views-{view}" for view in VIEWS}
    assert keywords("FigureInfo", "section") <= shown
    assert FigureInfo(file="a.svg", title="", caption="").section in shown


def test_findings_are_read_by_kind_and_new_kinds_come_last() -> None:
    assert set(registry.READING_ORDER) <= keywords("Finding", "kind")
    kinds = ("new", *reversed(registry.READING_ORDER), "newer")
    findings = [Finding(kind=kind, severity="note", text=kind) for kind in kinds]
    ordered = [finding.kind for finding in registry.in_reading_order(findings)]
    assert ordered == [*registry.READING_ORDER, "new", "newer"]


@pytest.mark.parametrize("section", registry.SECTIONS, ids=lambda section: section.anchor)
def test_the_template_of_a_section_is_in_the_folder_of_its_subject(section: Section) -> None:
    subject = section.build.__module__.split(".")[3]
    assert section.template.split("/")[0] == subject
    assert (ROOT / "reports" / "templates" / section.template).is_file()
