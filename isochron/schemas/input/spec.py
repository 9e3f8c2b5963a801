# SPDX-License-Identifier: BSD-3-Clause
"""Stacks by spec: `mpich@4.0.3`, `mpich@4.*` for the newest version that begins with 4, `prefix:/opt/mpich-4.2`,
`module:mpich/4.2`, `module:gcc/12.2 openmpi/5.*` for modules that are loaded in this order,
`container:apptainer /images/mpich.sif` for the library in an image, `spack:openmpi@5.0.8 ~cuda fabrics=ofi` for what
Spack builds with these variants.

A spec is a variant under a name: the one that the file gives it, or one made of the spec.
"""

import re
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from pydantic import AfterValidator, Field, WithJsonSchema

#: Names of campaigns, stacks and placements, which become parts of file names.
NAME = r"^[a-z0-9][a-z0-9._-]{0,63}$"
Name = Annotated[str, Field(pattern=NAME)]

#: A library, and a version or its beginning.
SPEC = r"^[a-z][a-z0-9-]{0,31}@\d+(\.\d+){0,3}(\.\*)?$"

#: The folder of an installed MPI library.
PREFIX = r"^prefix:/[A-Za-z0-9._+@/-]+$"

#: The name of an environment module, without and with a version; `*` stands for the rest of the newest one.
_PART = "[A-Za-z0-9][A-Za-z0-9._+-]*"
_VERSIONED = rf"{_PART}(/{_PART})*/({_PART}(\.\*)?|\*)"

#: Environment modules in the order in which they are loaded; at least one has a version.
MODULE = rf"^module:({_PART} )*{_VERSIONED}( {_PART}| {_VERSIONED})*$"

#: A container runtime, its options, and an image: a path, or its name where the runtime keeps images.
CONTAINER = r"^container:[a-z][a-z0-9-]*( [A-Za-z0-9._+@:/=,~-]+)+$"

#: Variants, compiler and target of a library in Spack's words, each after a blank or the version.
_REQUIREMENT = r"( ?[+~][a-z0-9][a-z0-9_-]*| [a-z][a-z0-9_-]*=[A-Za-z0-9._,:-]+| ?%[a-z][a-z0-9-]*(@[0-9.:=]+)?)"

#: A package of Spack, its version or the beginning of it, and what else is required of it.
SPACK = rf"^spack:[a-z][a-z0-9-]{{0,31}}@\d+(\.\d+){{0,3}}{_REQUIREMENT}*$"


class InImage(NamedTuple):
    """An image, and the container runtime that runs it with these options."""

    runtime: str
    options: list[str]
    image: str


class Spec(NamedTuple):
    """A library and the beginning of its version."""

    library: str
    version: str


class SpackSpec(NamedTuple):
    """A package of Spack, the beginning of its version, and its variants and compiler in Spack's words."""

    package: str
    version: str
    requirement: str


def parse_spec(text: str) -> Spec | None:
    """Return the parts of a spec; None if the text is the name of a stack."""
    if re.fullmatch(SPEC, text) is None:
        return None
    library, _, version = text.partition("@")
    return Spec(library, version.removesuffix(".*"))


def prefix_of(text: str) -> Path | None:
    """Return the folder of an installed library that is named as a stack; None if the text names none."""
    return Path(text.removeprefix("prefix:")) if re.fullmatch(PREFIX, text) else None


def modules_of(text: str) -> str:
    """Return the modules that are named as a stack, as in gcc/12.2 mpich/4.2; empty if the text names none."""
    return text.removeprefix("module:") if re.fullmatch(MODULE, text) else ""


def image_of(text: str) -> InImage | None:
    """Return the image that is named as a stack, as in `container:podman mpich:4.2`; None if the text names none."""
    if re.fullmatch(CONTAINER, text) is None:
        return None
    runtime, *options, image = text.removeprefix("container:").split(" ")
    return InImage(runtime, options, image)


def spack_spec_of(text: str) -> SpackSpec | None:
    """Return what Spack is to build, as in `spack:openmpi@5.0.8 ~cuda`; None if the text names something else."""
    if re.fullmatch(SPACK, text) is None:
        return None
    package, _, rest = text.removeprefix("spack:").partition("@")
    version = re.match(r"[\d.]+", rest)
    end = version.end() if version else 0
    return SpackSpec(package, rest[:end], rest[end:].strip())


def is_installed_elsewhere(text: str) -> bool:
    """Return True if a stack is a folder, module or image of this machine, which needs neither wheels nor Spack."""
    return prefix_of(text) is not None or modules_of(text) != "" or image_of(text) is not None


def name_of(spec: str) -> str:
    """Return the name of a stack by spec.

    mpich-4.0.3, mpich-4.x for `mpich@4.*`, spack-openmpi-5.0.8-no-cuda, or the end of a folder, module or image.
    """
    inside = image_of(spec)
    word = f"{inside.runtime}-{inside.image}" if inside else spec.removeprefix("prefix:").removeprefix("module:")
    word = word.replace("~", " no ") if spack_spec_of(spec) else word
    word = word.replace("*", "x").lower()
    return re.sub(r"[^a-z0-9._-]+", "-", word).strip("-._")[-64:].lstrip("-._")


def is_spec(text: str) -> bool:
    """Return True if the text is a spec, from whatever source."""
    return parse_spec(text) is not None or is_installed_elsewhere(text) or spack_spec_of(text) is not None


def check_stack(text: str) -> str:
    """Return the name of a stack or a spec. Raises ValueError if it is neither."""
    source = text.partition(":")[0]
    if source == "prefix" and ":" in text and prefix_of(text) is None:
        raise ValueError(f"must be an absolute path of plain characters, as in prefix:/opt/mpich-4.2 (found '{text}')")
    if source == "module" and ":" in text and not modules_of(text):
        raise ValueError(
            f"must be modules with their versions, as in module:mpich/4.2 or module:gcc/12.2 mpich/4.* (found '{text}')"
        )
    if source == "container" and ":" in text and image_of(text) is None:
        raise ValueError(
            "must be a container runtime and an image, as in container:apptainer /images/mpich.sif or "
            f"container:podman mpich:4.2, with options of the runtime in between (found '{text}')"
        )
    if source == "spack" and ":" in text and spack_spec_of(text) is None:
        raise ValueError(
            "must be a package of Spack with its version and variants, as in spack:openmpi@5.0.8 ~cuda fabrics=ofi "
            f"(found '{text}')"
        )
    if re.fullmatch(NAME, text) is None and not is_spec(text):
        raise ValueError(
            "must be the name of a stack, or LIBRARY@VERSION with the numbers of the version or their beginning, as in "
            "mpich@4.0.3 or mpich@4.*, prefix:FOLDER, module:NAME/VERSION, container:RUNTIME IMAGE or "
            f"spack:PACKAGE@VERSION VARIANTS (found '{text}')"
        )
    return text


WORD = f"{NAME}|{SPEC}|{PREFIX}|{MODULE}|{CONTAINER}|{SPACK}"

#: The name of a declared stack, or a spec.
StackWord = Annotated[str, AfterValidator(check_stack), WithJsonSchema({"type": "string", "pattern": WORD})]

#: An entry of `stacks`: what `with_named_specs` makes a name of.
Listed = Annotated[
    Name,
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string", "pattern": WORD},
                {
                    "type": "object",
                    "minProperties": 1,
                    "maxProperties": 1,
                    "additionalProperties": {"type": "string", "pattern": WORD},
                },
            ]
        }
    ),
]


def with_named_specs(document: Any) -> Any:
    """Return the document of a campaign with the names of stacks in `stacks`, and their specs in `variants`.

    An entry of `stacks` may be a spec, or a mapping of one name to a spec or stack. The question may refer to a spec.
    """
    if not isinstance(document, dict) or not isinstance(document.get("stacks"), list):
        return document
    named: dict[str, str] = {}
    names = [_named(entry, named) for entry in document["stacks"]]
    if not named:
        return document
    variants = document.get("variants")
    variants = variants if isinstance(variants, dict) else {}
    by_spec = {name: {"stack": spec} for name, spec in named.items()}
    fresh = {**document, "stacks": names, "variants": by_spec | variants}
    question = document.get("question")
    if isinstance(question, dict):
        names_of = {spec: name for name, spec in named.items()}
        fresh["question"] = {
            key: names_of.get(value, value) if key in ("baseline", "candidate") and isinstance(value, str) else value
            for key, value in question.items()
        }
    return fresh


def _named(entry: object, named: dict[str, str]) -> object:
    """Return the name of an entry of `stacks`; a spec is added to `named`."""
    if isinstance(entry, str) and ("@" in entry or ":" in entry):
        name = name_of(entry)
        named[name] = entry
        return name
    if isinstance(entry, dict) and len(entry) == 1:
        ((name, spec),) = entry.items()
        if isinstance(name, str) and isinstance(spec, str):
            named[name] = spec
            return name
    return entry
