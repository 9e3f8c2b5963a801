# SPDX-License-Identifier: BSD-3-Clause
"""YAML that a person wrote, strictly: no key twice, no text that cannot be shown, and one message for what is wrong."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator
from pathlib import Path
from typing import Any

import yaml

from isochron.common.documents import BoundedLoader, read_yaml
from isochron.common.files import FileError
from isochron.common.text import is_printable

MERGE = "tag:yaml.org,2002:merge"


class _StrictLoader(BoundedLoader):
    """YAML in which a key may be given once in a mapping; merge keys (`<<`) may be overridden, as YAML means them."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen: set[Any] = set()
        for key_node, _ in node.value:
            if key_node.tag == MERGE:
                continue
            key = self.construct_object(key_node, deep=True)
            if isinstance(key, Hashable) and key in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f"the key '{key}' is given twice; keep one", key_node.start_mark
                )
            seen.add(key if isinstance(key, Hashable) else repr(key))
        return super().construct_mapping(node, deep)


def _plain_number(loader: _StrictLoader, node: yaml.ScalarNode) -> object:
    """A number as people read it: YAML takes 010 for 8, and 1:30 for 90."""
    text = node.value
    value = loader.construct_yaml_float(node) if node.tag.endswith(":float") else loader.construct_yaml_int(node)
    if ":" in text or re.fullmatch(r"[-+]?0[0-9_]+", text):
        raise yaml.constructor.ConstructorError(
            None,
            None,
            f"{text} means {value:g} in YAML; write the plain number, or put it in quotes where it is text",
            node.start_mark,
        )
    return value


_StrictLoader.add_constructor("tag:yaml.org,2002:int", _plain_number)
_StrictLoader.add_constructor("tag:yaml.org,2002:float", _plain_number)


def read_strictly(path: Path, remedy: str) -> object:
    """The document of a YAML file. Raises FileError with the file, the place and what is wrong."""
    document = read_yaml(path, remedy, _StrictLoader)
    for key in _not_printable(document):
        raise FileError(
            f"{path}: {key}: contains a control character, an unpaired surrogate or a mark that reverses "
            "the text direction; write plain text"
        )
    return document


def _not_printable(value: object, key: str = "") -> Iterator[str]:
    """Keys of the texts that no terminal and no command line can take."""
    if isinstance(value, str):
        if not is_printable(value):
            yield key or "the whole file"
    elif isinstance(value, dict):
        for name, item in value.items():
            yield from _not_printable(str(name), f"{key}, a key" if key else "a key")
            yield from _not_printable(item, f"{key}.{name}".lstrip("."))
    elif isinstance(value, list | tuple | set):
        for number, item in enumerate(value):
            yield from _not_printable(item, f"{key}.{number}")
