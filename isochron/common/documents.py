# SPDX-License-Identifier: BSD-3-Clause
"""YAML files: reading within bounds, and writing."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from isochron.common.files import LONGEST_YAML, FileError, read_text
from isochron.common.text import in_a_line

#: Maximum number of nodes of a document with its aliases expanded: as many as the longest file can hold without
#: aliases. And the maximum depth; that of a campaign is 6.
MAX_NODES, MAX_DEPTH = LONGEST_YAML // 2, 50


#: Maximum characters of a number: binary notation of 64 bits has 66.
LONGEST_NUMBER = 80


class BoundedLoader(yaml.SafeLoader):
    """A loader of plain data that refuses documents with too many nodes, with the position in the file.

    A few aliases of aliases can expand to more nodes than fit into memory, although each is read once.
    """

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._complete: dict[yaml.Node, tuple[int, int]] = {}  # nodes and levels of each complete node
        self._open: list[tuple[int, int]] = [(0, 0)]  # the same for incomplete nodes, outermost first

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        """Return the next node, and count it. Raises MarkedYAMLError."""
        mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]
        if self.check_event(yaml.AliasEvent):
            node = super().compose_node(parent, index)
            if node not in self._complete:
                raise _refused("an alias is inside the node that it refers to", mark)
        else:
            self._open.append((1, 1))
            self._refuse_depth(0, mark)
            node = super().compose_node(parent, index)
            assert node is not None
            self._complete[node] = self._open.pop()
        self._add(*self._complete[node], mark)
        return node

    def _add(self, nodes: int, levels: int, mark: yaml.Mark) -> None:
        """Add a complete node to the count of its parent."""
        count, depth = self._open[-1]
        if count + nodes > MAX_NODES:
            raise _refused(f"more than {MAX_NODES} values with its aliases written out", mark)
        self._refuse_depth(levels, mark)
        self._open[-1] = count + nodes, max(depth, levels + 1)

    def _refuse_depth(self, levels: int, mark: yaml.Mark) -> None:
        if len(self._open) - 1 + levels > MAX_DEPTH:
            raise _refused(f"nested too deeply: more than {MAX_DEPTH} levels", mark)


def number(loader: BoundedLoader, node: yaml.ScalarNode) -> object:
    """Return a number; refuse one of so many digits that computing or printing it fails."""
    if len(node.value) > LONGEST_NUMBER:
        problem = f"a number of {len(node.value)} characters; write at most {LONGEST_NUMBER}"
        raise _refused(problem, node.start_mark)
    if node.tag.endswith(":float"):
        return loader.construct_yaml_float(node)
    return loader.construct_yaml_int(node)


BoundedLoader.add_constructor("tag:yaml.org,2002:int", number)
BoundedLoader.add_constructor("tag:yaml.org,2002:float", number)


def _refused(problem: str, mark: yaml.Mark) -> yaml.MarkedYAMLError:
    return yaml.MarkedYAMLError(None, None, problem, mark)


def read_yaml(path: Path, remedy: str, loader: type[BoundedLoader] = BoundedLoader) -> object:
    """Read one YAML file. Raises FileError with the file, the position and what is wrong.

    `remedy`: what to do if it cannot be read.
    """
    return parse_yaml(read_text(path, remedy, LONGEST_YAML), path, loader)


def parse_yaml(text: str, path: Path, loader: type[BoundedLoader] = BoundedLoader) -> object:
    """Parse the text of the YAML file `path`. Raises FileError."""
    try:
        return yaml.load(text, Loader=loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        position = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
        raise FileError(f"{path}: {position}not valid YAML: {error.problem}") from error
    except (yaml.YAMLError, ValueError, TypeError, ArithmeticError) as error:
        raise FileError(f"{path}: not valid YAML: {' '.join(str(error).split())}") from error


def yaml_text(document: object, heading: Sequence[str]) -> str:
    """Format plain data as YAML below comment lines; control characters and line ends in these are replaced."""
    comment = "".join(f"# {in_a_line(line)}\n" for line in heading)
    return comment + yaml.safe_dump(document, sort_keys=False, allow_unicode=True)
