# SPDX-License-Identifier: BSD-3-Clause
"""Nothing of the product depends on the locale: every text is UTF-8 because the code says so."""

from __future__ import annotations

import ast

import pytest

from tests.repository.test_structure import ROOT, modules, nodes

pytestmark = pytest.mark.xdist_group("sources")  # one process reads all sources once for these files


def needs_encoding(call: ast.Call) -> bool:
    """Whether a call reads or writes text: of a file, or of a process."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    words = {keyword.arg: keyword.value for keyword in call.keywords}
    if name in ("run", "Popen", "check_output"):
        return "text" in words
    if name == "open":
        of_os = (
            isinstance(call.func, ast.Attribute)
            and isinstance(call.func.value, ast.Name)
            and call.func.value.id == "os"
        )
        mode = next((value.value for value in call.args[:1] if isinstance(value, ast.Constant)), "r")
        return not of_os and "b" not in str(mode)
    return name == "write_text" or (name == "read_text" and not call.args)


def test_every_text_says_its_encoding() -> None:
    calls = [
        (path, node)
        for path in modules().values()
        for node in nodes(path)
        if isinstance(node, ast.Call) and needs_encoding(node)
    ]
    assert len(calls) > 10
    bare = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path, node in calls
        if not any(keyword.arg == "encoding" for keyword in node.keywords)
    ]
    assert not bare, "\n".join(bare)
