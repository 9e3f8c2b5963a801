# SPDX-License-Identifier: BSD-3-Clause
"""What the documents say is so."""

from __future__ import annotations

import re
import runpy
import shlex
from pathlib import Path

from isochron.cli.main import parser
from tests.repository.test_structure import tracked

ROOT = Path(__file__).parents[2]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
#: Pages without commands of their own, and what the hosting services show.
AT_THE_DOOR = [*sorted(set(ROOT.glob("*.md")) - {ROOT / "README.md"}), *sorted((ROOT / ".github").rglob("*.md"))]

VALIDATION = ROOT / "docs" / "validation.md"

#: Files that documents name and that are not of this repository.
FOREIGN = {("design.md", "mpi.h")}


def test_reference_pages_are_what_the_models_say(tmp_path: Path) -> None:
    script = ROOT / "scripts" / "write_reference.py"
    runpy.run_path(str(script))["main"](tmp_path)
    pages = sorted(tmp_path.glob("*.md"))
    assert [page.name for page in pages] == ["campaign.md", "store.md", "tables.md"]
    for page in pages:
        assert (ROOT / "docs" / "reference" / page.name).read_text() == page.read_text(), f"run: python {script}"


def test_continuing_a_foreign_run_is_documented_as_execution() -> None:
    """The security page names what is executed; the page on moving runs names the option and refers to it."""
    security, moving = ((ROOT / name).read_text() for name in ("SECURITY.md", "docs/how-to/move-or-archive-a-run.md"))
    assert "`isochron run --run`" in security and "`stacks/<stack>/isochron-engine`" in security
    assert "`isochron run --run`" in moving and "../../SECURITY.md" in moving
    (verbs,) = (action.choices for action in parser()._actions if action.dest == "verb")
    assert verbs is not None
    (option,) = (action for action in verbs["run"]._actions if "--run" in action.option_strings)
    assert "execute" in str(option.help)


def test_every_claim_of_the_validation_page_has_a_command() -> None:
    """Each row of its tables of claims is complete, and each command names tests, a target or a module that exist."""
    table = re.compile(r"^\| claim.*\| command \|\n\|[-|]+\n((?:\|.*\n)+)", re.MULTILINE)
    claims = [
        [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        for lines in table.findall(VALIDATION.read_text())
        for line in lines.splitlines()
    ]
    assert len(claims) > 80
    for cells in claims:
        assert len(cells) == 5 and all(cells), cells
        commands = re.findall(r"`([^`]+)`", cells[-1])
        assert commands and _exists(shlex.split(commands[0])), cells[-1]


def _exists(words: list[str]) -> bool:
    """Whether a command of the validation page can be called."""
    if words[0] == "pytest":
        paths = [word for word in words[1:] if word.startswith("tests")]
        return bool(paths) and all((ROOT / path).exists() for path in paths)
    if words[:2] == ["python", "-m"]:
        return (ROOT / words[2].replace(".", "/")).with_suffix(".py").exists()
    if words[0] == "make":
        return re.search(rf"^{words[1]}:", (ROOT / "Makefile").read_text(), re.MULTILINE) is not None
    return words[0] == "isochron" and bool(parser().parse_args(words[1:]))


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


def test_the_path_of_one_message_size_names_functions_of_its_files() -> None:
    """And enters no package twice: those of `postprocess` and `workflows` one after another."""
    text = (ROOT / "docs" / "architecture.md").read_text()
    steps = re.findall(r"^\| (\d+) \| `([\w./]+)` \| `(\w+)` \|", text, re.MULTILINE)
    assert [int(number) for number, _, _ in steps] == list(range(1, len(steps) + 1))
    assert len(steps) >= 20
    wrong = [
        f"{file}: {function}"
        for _, file, function in steps
        if not re.search(
            rf"^(    )?(def|int|void) {function}\(|^static int {function}\(", (ROOT / file).read_text(), re.M
        )
    ]
    assert not wrong, "\n".join(wrong)
    packages = [Path(file).parts[: 2 if file.startswith(("postprocess", "isochron")) else 1] for _, file, _ in steps]
    entered = [package for number, package in enumerate(packages) if packages[number - 1 : number] != [package]]
    assert len(entered) == len(set(entered)), entered


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


def test_every_page_is_listed() -> None:
    listing = ROOT / "docs" / "README.md"
    text = listing.read_text()
    pages = [page.relative_to(listing.parent).as_posix() for page in DOCUMENTS if page.parent != ROOT]
    assert [page for page in pages if f"]({page})" not in text and page != listing.name] == []
    assert "](docs/README.md)" in (ROOT / "README.md").read_text()


def test_the_readme_fits_two_screens() -> None:
    assert len((ROOT / "README.md").read_text().splitlines()) <= 110


def test_the_architecture_page_is_what_the_sources_say() -> None:
    script = ROOT / "scripts" / "write_architecture.py"
    assert (ROOT / "docs" / "architecture.md").read_text() == runpy.run_path(str(script))["page"](), f"run: {script}"
