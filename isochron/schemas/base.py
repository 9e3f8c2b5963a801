# SPDX-License-Identifier: BSD-3-Clause
"""Base classes of all models of files, and of the sections of a campaign file."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from isochron.common.copies import copy_of
from isochron.common.documents import parse_yaml
from isochron.common.files import LONGEST_YAML, FileError, as_text, read_bytes, write_atomically
from isochron.common.sealed import write_sealed
from isochron.common.text import is_a_line

#: A part of a path inside a run: no separator, no `..`, nothing hidden. A run may come from somebody else.
FileName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._+=-]*$", max_length=200)]


def _a_line(text: str) -> str:
    if not is_a_line(text):
        raise ValueError("contains a control character or a line end; write plain text")
    return text


#: A text that stays one line wherever it is written.
OneLine = Annotated[str, AfterValidator(_a_line)]


def no_doubles(values: list[object]) -> list[object]:
    """Return the values of a key. Raises ValueError if one is listed twice."""
    twice = next((value for value, count in Counter(values).items() if count > 1), None)
    if twice is not None:
        raise ValueError(f"{twice} is listed twice; list it once")
    return values


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
        """Read and validate one YAML file. Raises FileError; `remedy`: what to do if it cannot be read."""
        return cls.of_document(parse_yaml(as_text(read_bytes, path, remedy, LONGEST_YAML), path), path)

    @classmethod
    def of_document(cls, document: object, path: Path) -> Self:
        """Validate the document read from `path`. Raises FileError."""
        try:
            return cls.model_validate(document)
        except ValidationError as error:
            raise FileError(f"{path}: {first_problem(error)}") from error

    def save(self, path: Path) -> None:
        """Write as JSON, atomically; a sealed file with its copy."""
        if copy_of(path).exists():
            self.save_sealed(path)
        else:
            write_atomically(path, self.model_dump_json(indent=2) + "\n")

    def save_sealed(self, path: Path) -> None:
        """Write as JSON with a copy, from which the file can be restored."""
        write_sealed(path, self.model_dump_json(indent=2) + "\n")


def key_path(location: Iterable[str | int]) -> str:
    """Format where a value stands in a document: `analysis.compare_with[0].run`, entries of lists counted from 0."""
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in location).removeprefix(".")


def first_problem(error: ValidationError) -> str:
    """Format the first validation problem as `field: what is wrong`; another format version has precedence."""
    problems = error.errors()
    problem = next(filter(other_format, problems), problems[0])
    field = key_path(problem["loc"]) or "the whole file"
    return f"{field}: {other_format(problem) or problem['msg']}"


def other_format(problem: ErrorDetails) -> str:
    """Return the message for a file of another format version; empty for any other problem."""
    key, version = problem["loc"][-1:], problem["input"]
    if (
        problem["type"] != "literal_error"
        or key not in (("schema",), ("schema_version",))
        or not isinstance(version, int)
    ):
        return ""
    expected = problem["ctx"]["expected"]
    return (
        f"is {version}, but this version of Isochron reads format {expected}; use a version that reads format {version}"
    )


class Section(Record):
    """A mapping of the campaign file."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


@dataclass(frozen=True)
class Key:
    """What a key of the campaign file affects, declared on its field: `Annotated[str, Key(measures=False)]`.

    `measures`: the measurement. `judges`: the verdicts, and therefore, in a sequential campaign, what is measured. A
    key without a declaration has that of its section; the default of the file is that a key affects the measurement.
    `later`: a key that runs have been measured without, as if it had its default: with that it is not selected, so that
    the digest of their campaigns is still the same.
    """

    measures: bool = True
    judges: bool = False
    later: bool = False


#: The declaration that sections and keys of the file inherit.
FILE = Key()


def key_of(field: FieldInfo, inherited: Key) -> Key:
    """Return the declaration of a field, or the one that it inherits from its section."""
    return next((item for item in field.metadata if isinstance(item, Key)), inherited)


def select_keys(section: Record, condition: Callable[[Key], bool], inherited: Key = FILE) -> dict[str, Any]:
    """Return the keys for which `condition` is true, as in the JSON document of the section; no empty sections."""
    values = section.model_dump(mode="json", by_alias=True)
    selected: dict[str, Any] = {}
    for name, field in type(section).model_fields.items():
        label, key, value = field.alias or name, key_of(field, inherited), getattr(section, name)
        if isinstance(value, Record):
            inner = select_keys(value, condition, key)
            selected |= {label: inner} if inner else {}
        elif condition(key) and not (key.later and value == field.default):
            selected[label] = values[label]
    return selected
