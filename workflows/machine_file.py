# SPDX-License-Identifier: BSD-3-Clause
"""Reading the description of a machine to simulate: one that comes with Isochron, or a file."""

from pathlib import Path
from typing import Any

from isochron.common.documents import read_yaml
from isochron.common.files import FileError, suggest
from isochron.common.resources import shipped
from isochron.schemas.input.machine import Machine

MACHINES = shipped("workflows", "machines")


def known_machines() -> list[str]:
    """Return the names of the machines that come with Isochron."""
    return sorted(path.stem for path in MACHINES.glob("*.yaml"))


def load_machine(name: str, beside: Path) -> Machine:
    """Return a machine by its name, or by the path of its file relative to the folder `beside`. Raises FileError."""
    is_path = "/" in name or name.endswith((".yaml", ".yml"))
    if not is_path and name not in known_machines():
        guess = suggest(name, known_machines())
        raise FileError(
            f"unknown machine '{name}'{guess}; the machines are {', '.join(known_machines())}; or give "
            f"the path of a file"
        )
    path = beside / name if is_path else MACHINES / f"{name}.yaml"
    document = read_yaml(path, "give the path of a machine's file")
    if isinstance(document, dict) and "like" in document:
        document = _extend(document, path)
    return Machine.of_document(document, path)


def _extend(document: dict[str, Any], path: Path) -> dict[str, Any]:
    """Return the description with all missing keys taken from the machine that it is `like`."""
    changes = {key: value for key, value in document.items() if key != "like"}
    if not isinstance(document["like"], str) or path.stem == document["like"]:
        raise FileError(f"{path}: like: {document['like']!r} is not another machine; name one, or remove the key")
    try:
        return {**load_machine(document["like"], path.parent).model_dump(by_alias=True), **changes}
    except FileError as error:
        raise FileError(f"{path}: like: {error}") from error
