# SPDX-License-Identifier: BSD-3-Clause
"""Base classes of all models of files, and of the sections of a campaign file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from isochron.common.documents import read_yaml
from isochron.common.files import FileError, read_bytes, write_atomically
from isochron.common.sealed import copy_of, write_sealed
from isochron.common.text import is_a_line

#: A part of a path inside a run: no separator, no `..`, nothing hidden. A run may come from somebody else.
FileName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._+=-]*$", max_length=200)]


def _a_line(text: str) -> str:
    if not is_a_line(text):
        raise ValueError("contains a control character or a line end; write plain text")
    return text


#: A text that stays one line wherever it is written.
OneLine = Annotated[str, AfterValidator(_a_line)]


class Record(BaseModel):
    """A frozen model of something that is written to a file; unknown keys are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read and validate one JSON file. Raises FileError."""
        try:
            return cls.model_validate_json(read_bytes(path))
        except OSError as error:
            raise FileError(f"{path}: cannot be read: {error.strerror}") from error
        except ValidationError as error:
            raise FileError(f"{path}: {first_problem(error)}") from error

    @classmethod
    def load_yaml(cls, path: Path, remedy: str) -> Self:
        """Read and validate one YAML file. Raises FileError; `remedy` says what to do where it cannot be read."""
        return cls.of_document(read_yaml(path, remedy), path)

    @classmethod
    def of_document(cls, document: object, path: Path) -> Self:
        """Validate what was read from `path`. Raises FileError."""
        try:
            return cls.model_validate(document)
        except ValidationError as error:
            raise FileError(f"{path}: {first_problem(error)}") from error

    def save(self, path: Path) -> None:
        """Write as JSON, atomically; where the file has a copy from which it can be restored, that too."""
        if copy_of(path).exists():
            self.save_sealed(path)
        else:
            write_atomically(path, self.model_dump_json(indent=2) + "\n")

    def save_sealed(self, path: Path) -> None:
        """The same for a file that a run cannot go on without: from now on it has such a copy."""
        write_sealed(path, self.model_dump_json(indent=2) + "\n")


def first_problem(error: ValidationError) -> str:
    """The first validation problem as `field: what is wrong`; before all others that the file is of another format."""
    problems = error.errors()
    problem = next(filter(other_format, problems), problems[0])
    where = ".".join(str(part) for part in problem["loc"]) or "the whole file"
    return f"{where}: {other_format(problem) or problem['msg']}"


def other_format(problem: ErrorDetails) -> str:
    """What is to be said of a file whose format is not the one that is read here; empty for any other problem."""
    key, found = problem["loc"][-1:], problem["input"]
    if (
        problem["type"] != "literal_error"
        or key not in (("schema",), ("schema_version",))
        or not isinstance(found, int)
    ):
        return ""
    reads = problem["ctx"]["expected"]
    return f"is {found}, but this version of Isochron reads format {reads}; use a version that reads format {found}"


class Section(Record):
    """A mapping of the campaign file."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


@dataclass(frozen=True)
class Key:
    """What a key of the campaign file decides about, declared on its field: `Annotated[str, Key(measures=False)]`.

    `measures`: the measurement. `judges`: the verdicts, and thereby, in a sequential campaign, what is measured. A key
    of a section that declares nothing has the declaration of its section; the file as a whole measures.
    """

    measures: bool = True
    judges: bool = False


#: The declaration that sections and keys of the file inherit.
FILE = Key()


def key_of(field: FieldInfo, inherited: Key) -> Key:
    """Return the declaration of a field, or the one that it inherits from its section."""
    return next((each for each in field.metadata if isinstance(each, Key)), inherited)


def select_keys(section: Record, wanted: Callable[[Key], bool], inherited: Key = FILE) -> dict[str, Any]:
    """Return the keys for which `wanted` is true, as in the JSON document of the section; no empty sections."""
    values = section.model_dump(mode="json", by_alias=True)
    selected: dict[str, Any] = {}
    for name, field in type(section).model_fields.items():
        label, key, value = field.alias or name, key_of(field, inherited), getattr(section, name)
        if isinstance(value, Record):
            inner = select_keys(value, wanted, key)
            selected |= {label: inner} if inner else {}
        elif wanted(key):
            selected[label] = values[label]
    return selected
