# SPDX-License-Identifier: BSD-3-Clause
"""Writes docs/architecture.md from the sources: rooms, modules with their first sentence, and who imports whom.

Nothing of the project is imported; the sources are parsed, so the page can be made without an installation.

usage: python scripts/write_architecture.py [FILE]     (default: docs/architecture.md)
"""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).parents[1]
MAPPED = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["package-dir"]

#: How a room starts another one as a process: in Python (a list of words) or in a rule (a command line).
STARTS = re.compile(r"-m[\"', ]+isochron\.(\w+)")

HEAD = """\
<!-- made by scripts/write_architecture.py from the sources; a test compares -->

# Architecture

The rooms of Isochron, the arrows between them, and every module in one line, as the sources have them.
[Design](design.md) says why it is so, and which arrows are allowed.

An arrow leads from the room that imports to the room that is imported; a dotted one from a room that starts a process
to the room whose command it is.

"""

PATH = """\

## The path of one message size

From `sizes: [4KiB]` in a campaign file to a marker in the figure *Time against size*, in the order in which the value
travels. No room is entered twice, nor a package of `postprocess`; within `reframe_checks` the way leads from `launch`
through ReFrame and the engine back to `launch`. Where a file is named in bold, the value waits in it: the next step reads
it. `schemas` (every file's model), `common` and `postprocess/kit` (declarations, drawing) are called on the way and
listed where they matter.

| # | file | function | what happens to the size |
|---|---|---|---|
| 1 | `isochron/cli/campaign.py` | `load_selected_campaign` | the command reads its campaign |
| 2 | `workflows/campaign_file.py` | `load_campaign` | YAML becomes a `Campaign`; `isochron/schemas/input/size.py` parses `4KiB` to 4096 bytes |
| 3 | `workflows/planning/plan.py` | `make_plan` | the launches in blocks; `workflows/planning/parts.py` gives a launch a list of sizes only if it does not measure all |
| 4 | `workflows/runs.py` | `create_run` | the folder of the run: **`campaign.yaml`**, with `sizes: [4096]`, and **`plan.json`**, in which no list of sizes means all |
| 5 | `workflows/driving/run.py` | `drive` | Snakemake (`workflows/driving/snakemake.py`) runs the rule of `workflows/rules/measure.smk` for each block; `workflows/driving/block_executor.py` gives all of them to one `python -m isochron.reframe_checks blocks` |
| 6 | `reframe_checks/run_blocks.py` | `run_blocks` | reads campaign and plan, and starts what the blocks lack |
| 7 | `reframe_checks/launch/command.py` | `engine_options` | the command line of the engine, with `--sizes 4096`, in **`spec.json`** of the attempt |
| 8 | `reframe_checks/checks/block.py` | `begin` | ReFrame's job script starts the launches of `spec.json`, each with its command line |
| 9 | `reframe_checks/engine/src/option_values/sizes.c` | `sizes_parse` | the engine reads its option |
| 10 | `reframe_checks/engine/src/launch/measurement_list.c` | `measurement_list_open` | every operation with every size is a measurement; operations without data have one of 0 bytes |
| 11 | `reframe_checks/engine/src/measure/measure.c` | `measure_perform_pass` | buffers of 4096 bytes; the repetitions are timed |
| 12 | `reframe_checks/engine/src/record/record_measurement.c` | `record_measurement` | a line of the **raw file**, with `"bytes":4096` and every time in ns, written when all is measured |
| 13 | `reframe_checks/launch/acceptance.py` | `accept` | the raw file is complete and as planned: it enters **`launches/`** |
| 14 | `postprocess/ingest/ingest.py` | `ingest` | `isochron/schemas/run/launch_file.py` reads the raw file |
| 15 | `postprocess/ingest/measurements.py` | `measurement_columns` | the record becomes a line of **`store/measurements.parquet`**: `bytes`, `median_us` (ns become µs) |
| 16 | `postprocess/estimate/values/summary.py` | `summarise` | all launches of a result become one line: value, interval, verdict; before, `joined` halves times there and back |
| 17 | `postprocess/subjects/results/table.py` | `make_summary` | calls `summarise`: the line is in `SUMMARY`, which `postprocess/analysis/saved.py` writes as `tables/summary.csv` |
| 18 | `postprocess/subjects/results/figure.py` | `time_by_size` | a marker at x = 4 KiB in the panel of its operation, with `postprocess/kit/drawing.py` |
| 19 | `postprocess/analysis/analyse.py` | `write_figures` | the figure is drawn and saved: **`figures/time-by-size.….svg`** |
| 20 | `postprocess/report/page.py` | `build` | the SVG becomes part of the page, in the section of its anchor |
| 21 | `postprocess/report/render.py` | `render` | `reports/templates/results/figures.html.j2` places it in **`report/index.html`**, or in a page of its own if the report is large |
"""  # noqa: E501


@dataclass(frozen=True)
class Module:
    """A source file, what it says of itself, and what it refers to."""

    path: Path
    sentence: str
    imports: frozenset[str]
    starts: frozenset[str]


@dataclass
class Room:
    """A sub-package of `isochron`."""

    name: str
    folder: Path
    sentence: str = ""
    modules: list[Module] = field(default_factory=list)


def first_sentence(text: str) -> str:
    """Return the first paragraph of a docstring up to its first full stop, on one line."""
    paragraph = " ".join(text.strip().partition("\n\n")[0].split())
    return re.split(r"(?<=[^.…])\.(?= [A-Z`])", paragraph)[0].rstrip(".")


def imported_rooms(tree: ast.AST) -> Iterator[str]:
    """Yield the part after `isochron.` of everything that is imported from the project."""
    for node in ast.walk(tree):
        names: Sequence[str] = ()
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        for name in names:
            package, _, rest = name.partition(".")
            if package == "isochron" and rest:
                yield rest.partition(".")[0]


def started_rooms(tree: ast.AST) -> Iterator[str]:
    """Rooms of which a command is written word by word, in a list or a call: `"-m", "isochron.postprocess"`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.List | ast.Tuple | ast.Call):
            items = node.args if isinstance(node, ast.Call) else node.elts
            words = [item.value if isinstance(item, ast.Constant) else None for item in items]
            for flag, name in pairwise(words):
                if flag == "-m" and isinstance(name, str) and name.startswith("isochron."):
                    yield name.split(".")[1]


def read_module(path: Path) -> Module:
    """Parse one file; rules and the Snakefile are not Python and say only what they start."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        return Module(path, "", frozenset(), frozenset(STARTS.findall(text)))
    tree = ast.parse(text)
    sentence = first_sentence(ast.get_docstring(tree) or "")
    return Module(path, sentence, frozenset(imported_rooms(tree)), frozenset(started_rooms(tree)))


def read_rooms() -> list[Room]:
    """Return all rooms: the folders within `isochron`, and those that pyproject.toml maps into it."""
    rooms = []
    folders = [*(ROOT / "isochron").iterdir(), *(ROOT / folder for name, folder in MAPPED.items() if "." in name)]
    for folder in sorted((path for path in folders if (path / "__init__.py").is_file()), key=lambda path: path.name):
        files = [path for path in folder.rglob("*") if path.suffix in (".py", ".smk") or path.name == "Snakefile"]
        room = Room(folder.name, folder)
        for path in sorted(files):
            module = read_module(path)
            if path == folder / "__init__.py":
                room.sentence = module.sentence
            room.modules.append(module)
        rooms.append(room)
    return rooms


def arrows(rooms: Sequence[Room]) -> Iterator[str]:
    """Yield the arrows of the graph, imports first."""
    names = {room.name for room in rooms}
    for room in rooms:
        for target in sorted({name for module in room.modules for name in module.imports} & names - {room.name}):
            yield f"  {room.name} --> {target}"
    for room in rooms:
        for target in sorted({name for module in room.modules for name in module.starts} & names - {room.name}):
            yield f"  {room.name} -. starts .-> {target}"


def room_text(room: Room) -> str:
    """Return a room's section: its sentence, and a table of its modules, packages within it as headings of rows."""
    lines = [f"\n## {room.name}\n", f"{room.sentence}. In `{room.folder.relative_to(ROOT)}/`.\n"]
    rows = [
        f"| `{module.path.relative_to(room.folder)}` | {module.sentence.replace('|', chr(92) + '|')} |"
        for module in room.modules
        if module.sentence and module.path != room.folder / "__init__.py"
    ]
    if rows:
        lines += ["| module | what it does |", "|---|---|", *rows]
    return "\n".join(lines) + "\n"


def page() -> str:
    """Return the whole page."""
    rooms = read_rooms()
    graph = "\n".join(["```mermaid", "graph LR", *arrows(rooms), "```"])
    summary = "\n".join(f"- [`{room.name}`](#{room.name}): {room.sentence}" for room in rooms)
    engine = "The engine is a program of its own: [measurement engine](reference/engine.md).\n"
    return f"{HEAD}{graph}\n\n{summary}\n\n{engine}{PATH}" + "".join(room_text(room) for room in rooms)


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "architecture.md"
    target.write_text(page(), encoding="utf-8")
