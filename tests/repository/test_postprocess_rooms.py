# SPDX-License-Identifier: BSD-3-Clause
"""The rooms within postprocess: which may know which (docs/design.md)."""

from __future__ import annotations

from graphlib import TopologicalSorter

from tests.repository.test_structure import ROOT, imports, modules, tracked

#: Rooms of postprocess that each may import. A circle in this table fails a test.
ARROWS: dict[str, set[str]] = {
    "reading": set(),
    "formatting": {"reading"},
    "values": {"reading", "formatting"},
    "history_cache": {"reading", "values"},
    "models": {"reading", "formatting"},
    "compare": {"reading", "values", "models", "history_cache"},
    "imported": {"reading", "values"},
    "programs": {"reading"},
    "answer": {"reading"},
    "guidelines": {"reading", "formatting", "values", "compare"},
    "machine": {"reading", "formatting"},
    "tables": {"reading", "values", "models", "compare", "answer", "guidelines", "machine", "formatting", "programs"},
    "analysis": {"reading", "machine", "tables", "compare", "formatting"},
    "findings": {"reading", "formatting", "values", "models", "compare", "answer", "machine", "tables", "analysis"},
    "figures": {"reading", "formatting", "models", "compare", "machine", "programs", "tables", "analysis"},
    "report": {
        "reading",
        "formatting",
        "values",
        "models",
        "answer",
        "machine",
        "tables",
        "analysis",
        "findings",
        "figures",
    },
    "site": {"reading", "formatting", "history_cache", "compare", "report"},
    "export": {"reading", "formatting", "compare", "answer", "tables", "analysis", "findings", "report"},
}


def rooms() -> dict[str, tuple[str, set[str]]]:
    """Of each module in a room of postprocess its room, and the rooms that it imports."""
    found = {}
    for name, path in modules().items():
        parts = name.split(".")
        if parts[1:2] == ["postprocess"] and len(parts) > 3:
            others = (target.split(".") for target in imports(path) if target.startswith("isochron.postprocess."))
            found[name] = (parts[2], {other[2] for other in others} - {parts[2]})
    return found


def test_arrows_between_the_rooms_point_one_way() -> None:
    assert {room for room, _ in rooms().values()} == set(ARROWS)
    wrong = [f"{name} imports {other}" for name, (room, others) in rooms().items() for other in others - ARROWS[room]]
    assert not wrong, "\n".join(wrong)


def test_the_arrows_have_no_circle_and_none_is_unused() -> None:
    tuple(TopologicalSorter(ARROWS).static_order())
    used = {(room, other) for room, others in rooms().values() for other in others}
    assert {(room, other) for room, others in ARROWS.items() for other in others} == used


def test_nothing_lies_loose() -> None:
    loose = {path.name for path in tracked(".py") if path.parent == ROOT / "postprocess"}
    assert loose == {"__init__.py", "__main__.py"}
