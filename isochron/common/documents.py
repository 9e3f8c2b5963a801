# SPDX-License-Identifier: BSD-3-Clause
"""YAML files: reading within bounds, and writing."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from isochron.common.files import LONGEST_YAML, FileError, read_text
from isochron.common.text import in_a_line

#: Nodes of the largest document, each alias counted as what it stands for: as many as the longest file can hold without
#: aliases. And the deepest nesting; that of a campaign is 6.
MAX_NODES, DEEPEST = LONGEST_YAML // 2, 50


class BoundedLoader(yaml.SafeLoader):
    """Plain data; aliases that unfold without end are an error at their place in the file.

    A few aliases of aliases stand for more nodes than any memory holds, though each is read once: whoever then walks
    over the document would not come to its end.
    """

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._known: dict[yaml.Node, tuple[int, int]] = {}  # of each node that is whole: nodes and levels
        self._around: list[tuple[int, int]] = [(0, 0)]  # the same so far of those that are not, the outermost first

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        """The node that comes next, counted. Raises MarkedYAMLError."""
        mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]
        if self.check_event(yaml.AliasEvent):
            node = super().compose_node(parent, index)
            if node not in self._known:
                raise _refused("an alias stands within what it names", mark)
        else:
            self._around.append((1, 1))
            self._refuse_depth(0, mark)
            node = super().compose_node(parent, index)
            assert node is not None
            self._known[node] = self._around.pop()
        self._add(*self._known[node], mark)
        return node

    def _add(self, nodes: int, levels: int, mark: yaml.Mark) -> None:
        """Count a node that is whole to the one around it."""
        so_far, deepest = self._around[-1]
        if so_far + nodes > MAX_NODES:
            raise _refused(f"more than {MAX_NODES} values with its aliases written out", mark)
        self._refuse_depth(levels, mark)
        self._around[-1] = so_far + nodes, max(deepest, levels + 1)

    def _refuse_depth(self, levels: int, mark: yaml.Mark) -> None:
        if len(self._around) - 1 + levels > DEEPEST:
            raise _refused(f"nested too deeply: more than {DEEPEST} levels", mark)


def _refused(problem: str, mark: yaml.Mark) -> yaml.MarkedYAMLError:
    return yaml.MarkedYAMLError(None, None, problem, mark)


def read_yaml(path: Path, remedy: str, loader: type[BoundedLoader] = BoundedLoader) -> object:
    """The document of one YAML file. Raises FileError with the file, the place and what is wrong.

    `remedy`: what to do where it cannot be read.
    """
    return parse_yaml(read_text(path, remedy, LONGEST_YAML), path, loader)


def parse_yaml(text: str, path: Path, loader: type[BoundedLoader] = BoundedLoader) -> object:
    """Parse the text of the YAML file `path`. Raises FileError."""
    try:
        return yaml.load(text, Loader=loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
        raise FileError(f"{path}: {where}not valid YAML: {error.problem}") from error
    except (yaml.YAMLError, ValueError, TypeError) as error:
        raise FileError(f"{path}: not valid YAML: {' '.join(str(error).split())}") from error


def yaml_text(document: object, heading: Sequence[str]) -> str:
    """Plain data as YAML, below lines of comment: a line that has a control character or a line end stays one line."""
    comment = "".join(f"# {in_a_line(line)}\n" for line in heading)
    return comment + yaml.safe_dump(document, sort_keys=False, allow_unicode=True)
