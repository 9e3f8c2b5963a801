# SPDX-License-Identifier: BSD-3-Clause
"""What the documents say is so."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

from tests.repository.test_structure import tracked

ROOT = Path(__file__).parents[2]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
#: Pages without commands of their own, and what the hosting services show.
AT_THE_DOOR = [*sorted(set(ROOT.glob("*.md")) - {ROOT / "README.md"}), *sorted((ROOT / ".github").rglob("*.md"))]

#: Files that documents name and that are not of this repository.
FOREIGN = {("design.md", "mpi.h")}


def test_reference_pages_are_what_the_models_say(tmp_path: Path) -> None:
    script = ROOT / "scripts" / "write_reference.py"
    runpy.run_path(str(script))["main"](tmp_path)
    pages = sorted(tmp_path.glob("*.md"))
    assert [page.name for page in pages] == ["campaign.md", "store.md", "tables.md"]
    for page in pages:
        assert (ROOT / "docs" / "reference" / page.name).read_text() == page.read_text(), f"run: python {script}"


def test_whoever_continues_a_run_of_others_is_told_that_its_engine_is_executed() -> None:
    """Where the rule stands, where a run is moved, and where the option is."""
    security, moving, option = (
        " ".join((ROOT / name).read_text().split())
        for name in ("SECURITY.md", "docs/how-to/move-or-archive-a-run.md", "isochron/cli/run.py")
    )
    assert "`isochron run --run` starts the engine that lies in it" in security
    assert "`isochron run --run` executes the engine in the folder" in moving and "SECURITY.md" in moving
    assert "that executes the engine in DIR" in option


def test_links_lead_somewhere() -> None:
    assert len(DOCUMENTS) > 15
    missing = [
        f"{document.relative_to(ROOT)}: {target}"
        for document in [*DOCUMENTS, *AT_THE_DOOR]
        for target in re.findall(r"\]\(([^)#]+)", document.read_text())
        if not target.startswith(("http://", "https://")) and not (document.parent / target).exists()
    ]
    assert not missing, "\n".join(missing)


def test_commands_of_the_documents_exist() -> None:
    makefile = (ROOT / "Makefile").read_text()
    verbs = {path.stem.rstrip("_") for path in (ROOT / "isochron" / "cli").rglob("*.py")}
    for document in DOCUMENTS:
        text = document.read_text()
        for target in re.findall(r"(?:^\$ |`)make ([a-z][a-z-]*)`?", text, re.MULTILINE):
            assert re.search(rf"^{target}:", makefile, re.MULTILINE), f"{document.name}: make {target}"
        for verb in re.findall(r"`(?:\.venv/bin/)?isochron ([a-z]+)", text):
            assert verb in verbs, f"{document.name}: isochron {verb}"


def test_tests_that_documents_name_exist() -> None:
    for document in DOCUMENTS:
        for file, test in re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", document.read_text()):
            assert f"def {test}(" in (ROOT / file).read_text(), f"{document.name}: {file}::{test}"


def test_files_that_documents_name_exist() -> None:
    """By the end of their path, as documents of a room leave out where it lies."""
    suffixes = (".py", ".c", ".h", ".def", ".j2", ".smk", ".sh")
    files = [path.as_posix() for path in tracked(*suffixes)]
    pattern = re.compile(r"`([\w./-]+(?:" + "|".join(map(re.escape, suffixes)) + "))`")
    pages = [page for page in [*DOCUMENTS, *AT_THE_DOOR] if page.name != "CHANGELOG.md"]
    named = {(page.name, name) for page in pages for name in pattern.findall(page.read_text())}
    assert len(named) > 50
    missing = sorted(
        f"{page}: {name}" for page, name in named - FOREIGN if not any(path.endswith(f"/{name}") for path in files)
    )
    assert not missing, "\n".join(missing)


def test_code_in_how_tos_is_that_of_the_sources() -> None:
    """Line by line: an example may leave lines out and explain them."""
    lines = {line.strip() for path in tracked(".py", ".c", ".def") for line in path.read_text().splitlines()}
    blocks = {
        (page.name, block)
        for page in (ROOT / "docs" / "how-to").glob("add-*.md")
        for block in re.findall(r"```(?:c|python)\n(.*?)```", page.read_text(), re.DOTALL)
    }
    assert len(blocks) > 5
    stale = [
        f"{page}: {line.strip()}"
        for page, block in sorted(blocks)
        for line in block.splitlines()
        if line.strip() != "…" and re.sub(r"  # .*", "", line).strip() not in lines
    ]
    assert not stale, "\n".join(stale)


def test_every_how_to_is_listed_in_the_readme() -> None:
    text = (ROOT / "README.md").read_text()
    pages = [page.relative_to(ROOT).as_posix() for page in DOCUMENTS if page.parent != ROOT]
    assert [page for page in pages if f"]({page})" not in text] == []


def test_the_architecture_page_is_what_the_sources_say() -> None:
    script = ROOT / "scripts" / "write_architecture.py"
    assert (ROOT / "docs" / "architecture.md").read_text() == runpy.run_path(str(script))["page"](), f"run: {script}"
