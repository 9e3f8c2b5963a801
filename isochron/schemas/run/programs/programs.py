# SPDX-License-Identifier: BSD-3-Clause
"""`stacks/<stack>/<tool>.json`: the programs of another benchmark for a stack, and what they are checked by."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from isochron.schemas.base import Record
from isochron.schemas.run.manifest import Environment


class Program(Record):
    """One program and its hash."""

    path: str
    sha256: str


class Request(Record):
    """`log/reframe/build-<stack>/<tool>/request.json`: what the ReFrame check `Tool` is to look at.

    `programs`: operation → path. `libraries`: those of MPI that the engine was linked with, as absolute paths;
    `library_file`: how their names begin. `witness`: the source of the library that is loaded before the programs.
    """

    tool: str
    stack: str
    cc: str
    environment: Environment
    programs: dict[str, str] = Field(min_length=1)
    libraries: list[str]
    library_file: str
    witness: str


class Programs(Record):
    """The programs by the engine's operation that each measures, and the library that counts their processes."""

    schema_version: Literal[1] = 1
    tool: str
    stack: str
    #: Where they come from: `wheel`, `spack` or `path`.
    source: str
    programs: dict[str, Program] = Field(min_length=1)
    witness: Program
