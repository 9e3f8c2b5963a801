# SPDX-License-Identifier: BSD-3-Clause
"""Only isochron.compat changes modules of other projects or of Python (docs/design.md)."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

import pytest

from tests.repository.test_structure import modules, nodes

pytestmark = pytest.mark.xdist_group("sources")  # one process reads all sources once for these files


def foreign_names(tree: Sequence[ast.AST]) -> set[str]:
    """Names under which a file has imported modules, or members of modules, that are not of the project."""
    names = set()
    for node in tree:
        if isinstance(node, ast.Import):
            names |= {
                alias.asname or alias.name.partition(".")[0]
                for alias in node.names
                if alias.name.partition(".")[0] != "isochron"
            }
        elif isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] != "isochron":
            names |= {alias.asname or alias.name for alias in node.names}
        elif isinstance(node, ast.Assign) and is_import(node.value):
            names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    return names


def is_import(node: ast.expr) -> bool:
    """Whether an expression imports a module by its name."""
    return isinstance(node, ast.Call) and last_name(node.func).endswith("import_module")


def last_name(node: ast.expr) -> str:
    """`c` of the expression `a.b.c`, `a` of `a`; empty for any other expression."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def root(node: ast.expr) -> str:
    """The name at the beginning of `name.attribute[index].attribute`; empty for any other expression."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def changes(tree: Sequence[ast.AST]) -> Iterator[str]:
    """Assignments to, and deletions of, attributes of what a file has imported from outside the project.

    `tree`: all nodes of the file.
    """
    names = foreign_names(tree)
    for node in tree:
        changed = None
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store | ast.Del):
            changed = node.value
        elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store | ast.Del):
            if isinstance(node.value, ast.Attribute) and node.value.attr in ("modules", "__dict__"):
                changed = node.value
        elif isinstance(node, ast.Call) and last_name(node.func) in ("setattr", "delattr") and node.args:
            changed = node.args[0]
        if changed is not None and (root(changed) in names or is_import(changed)):
            yield f"line {node.lineno}: {ast.unparse(node)}"


def test_only_compat_changes_modules_of_others() -> None:
    names = modules()
    assert list(changes(nodes(names["isochron.compat.substitute"]))), "the one place where modules are changed"
    wrong = [
        f"{name}, {change}; move it to isochron.compat"
        for name, path in names.items()
        if not name.startswith("isochron.compat.")
        for change in changes(nodes(path))
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    "change",
    [
        "import os\nos.chmod = print",
        "import time as clock\ndef stop():\n    clock.time = lambda: 0.0",
        "from reframe.core import shell\nshell.os.chmod = print",
        "from snakemake.persistence.file import FilePersistence\nFilePersistence._io_write = None",
        "import os\nsetattr(os, 'chmod', print)",
        "import os\ndel os.chmod",
        "import sys\nsys.modules['os'] = None",
        "from importlib import import_module\nsetattr(import_module('os'), 'chmod', print)",
        "import importlib\nmodule = importlib.import_module('os')\nmodule.chmod = print",
    ],
)
def test_a_change_is_seen(change: str) -> None:
    assert len(list(changes(list(ast.walk(ast.parse(change)))))) == 1


@pytest.mark.parametrize(
    "harmless",
    [
        "import os\nos.environ['A'] = 'b'",
        "import os\nclass A:\n    def __init__(self):\n        self.os = os",
        "from isochron.common import files\nfiles.LIMIT = 3",
        "import time\nnow = time.time()",
        "def name(job):\n    setattr(job, 'name', 'x')",
    ],
)
def test_what_changes_no_module_is_not_seen(harmless: str) -> None:
    assert not list(changes(list(ast.walk(ast.parse(harmless)))))
