# SPDX-License-Identifier: BSD-3-Clause
"""Strict reading of YAML that a person wrote: no duplicate keys, no unprintable text, one message per error."""

import re
from collections.abc import Hashable, Iterator
from pathlib import Path
from typing import Any

import yaml

from isochron.common.documents import BoundedLoader, number, read_yaml
from isochron.common.files import FileError
from isochron.common.text import is_printable

MERGE = "tag:yaml.org,2002:merge"


class _StrictLoader(BoundedLoader):
    """A loader that refuses duplicate keys in a mapping; merge keys (`<<`) may be overridden, as YAML defines."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        keys: set[Any] = set()
        for key_node, _ in node.value:
            if key_node.tag == MERGE:
                continue
            key = self.construct_object(key_node, deep=True)
            if isinstance(key, Hashable) and key in keys:
                raise yaml.constructor.ConstructorError(
                    None, None, f"the key '{key}' is given twice; keep one", key_node.start_mark
                )
            keys.add(key if isinstance(key, Hashable) else repr(key))
        return super().construct_mapping(node, deep)


def _plain_number(loader: _StrictLoader, node: yaml.ScalarNode) -> object:
    """Return a number; refuse notations that YAML reads differently from people: 010 as 8, 1:30 as 90."""
    text = node.value
    value = number(loader, node)
    if ":" in text or re.fullmatch(r"[-+]?0[0-9_]+", text):
        raise yaml.constructor.ConstructorError(
            None,
            None,
            f"{text} means {value:g} in YAML; write the plain number, or put it in quotes if it is text",
            node.start_mark,
        )
    return value


_StrictLoader.add_constructor("tag:yaml.org,2002:int", _plain_number)
_StrictLoader.add_constructor("tag:yaml.org,2002:float", _plain_number)


def read_strictly(path: Path, remedy: str) -> object:
    """Read a YAML file strictly. Raises FileError with the file, the position and what is wrong."""
    document = read_yaml(path, remedy, _StrictLoader)
    for key in _find_unprintable(document):
        raise FileError(
            f"{path}: {key}: contains a control character, an unpaired surrogate or a mark that reverses "
            "the text direction; write plain text"
        )
    return document


def _find_unprintable(value: object, key: str = "") -> Iterator[str]:
    """Yield the keys of texts that are not printable."""
    if isinstance(value, str):
        if not is_printable(value):
            yield key or "the whole file"
    elif isinstance(value, dict):
        for name, item in value.items():
            yield from _find_unprintable(str(name), f"{key}, a key" if key else "a key")
            yield from _find_unprintable(item, f"{key}.{name}".lstrip("."))
    elif isinstance(value, list | tuple | set):
        for number, item in enumerate(value):
            yield from _find_unprintable(item, f"{key}[{number}]")
