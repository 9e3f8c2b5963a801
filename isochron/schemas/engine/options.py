# SPDX-License-Identifier: BSD-3-Clause
"""The section `engine` of a campaign file: what the engine is told; the names are the engine's own options.

Here stand the campaign's own defaults and words alone: which values are possible is the engine's to say
(isochron.schemas.engine.contract).
"""

from __future__ import annotations

from typing import Any

from pydantic import Field, GetJsonSchemaHandler, ValidationInfo, field_validator
from pydantic_core import CoreSchema

from isochron.schemas.engine.contract import Fact, contract
from isochron.schemas.engine.words import problem_of
from isochron.schemas.section import Section


class EngineOptions(Section):
    """What the engine is told; the names are the engine's own options."""

    scheme: str = "window"
    clock_sync: str = "ring"
    offset: str = "envelope"
    sync_points: int = Field(50, strict=True, description="comparisons per pair, for `hca3` and `jk`")
    sync_span: float = Field(0.5, description="seconds over which these comparisons are spread")
    sync_nodes: str = Field(
        "auto", description="`shared`: synchronise one process per node; `flat`: every one; `auto`: one where possible"
    )
    max_drift_ppm: float = Field(100, description="largest drift between two clocks, for the bounds")
    sync_patience: int | None = Field(
        None,
        strict=True,
        description="exchanges without a shorter round trip after which a comparison of two clocks ends; default: 100",
    )
    resync_share: float = Field(
        0.1,
        description="share of the slot by which clocks may drift before they are synchronised again; 0: never",
    )
    timer: str = "clock-gettime"
    wait: str = "spin"
    warmup_reps: int = Field(4, description="number of runs in the first batch, which is never counted")
    batch: int = Field(8, description="number of runs under one schedule")
    operations_per_rep: int | None = Field(
        None,
        strict=True,
        description="operations in a run, back to back, by which its time is divided; default: 1. Loops have `batch`",
    )
    stop: str = "relative-error"
    relative_error: float = 0.05
    min_valid: int = Field(10, description="with fewer valid runs, the row is `too-few-valid`")
    max_valid: int = Field(100, description="number of valid runs that is enough")
    max_reps: int = Field(400, description="number of runs after which a measurement ends")
    time_budget: float | None = Field(None, description="seconds per operation and size, for `stop: time`")
    passes: int = Field(
        8,
        strict=True,
        description="passes over all operations and sizes in a launch, each with a share of the runs, so that a short "
        "disturbance meets a part of many rows instead of all of some; rows that are not precise enough then have "
        "further passes; 1: row after row",
    )
    pass_span: float = Field(
        0.25,
        description="seconds over which all passes begin that rows may need, so that a launch measures for about as "
        "long; 0: at once",
    )
    max_slot_us: int | float | None = Field(None, description="upper limit of the slot in µs")
    max_invalid: float | None = Field(
        None, description="share of a batch's runs that may be invalid before the slot grows; default: 0.25"
    )
    slot_growth: float | None = Field(None, description="factor by which the slot grows then; default: 1.1")
    trim: float = Field(0.25)
    confidence: float = Field(0.95)
    root: int = Field(0, strict=True)
    datatype: str = Field(
        "auto",
        description="of the elements; derived types, in bytes: `vector:COUNT:BLOCK:STRIDE`, `indexed:LENGTH@PLACE,...`",
    )
    counts: str = Field("balanced", description="whether counts differ, in operations with one count per process")
    in_place: bool = Field(False, description="use MPI_IN_PLACE where the standard has it")
    large_counts: bool = Field(False, description="use the calls that take MPI_Count")
    topology: str = Field("cart", description="topology of neighbourhood operations")
    group_size: int = Field(0, strict=True, description="processes per group of messages; 0: pairs, or all")
    reduce_op: str | None = Field(None, description="operator of reductions; default: `sum`")
    buffered_sends: bool | None = Field(
        None, strict=True, description="send messages by MPI_Bsend or MPI_Ibsend from an attached buffer"
    )
    overlap: bool = Field(False, description="measure how far nonblocking operations overlap with a computation")
    check: bool = Field(False, description="verify the data of every operation and size")
    buffers: str = Field("warm", description="whether runs find their buffers in the cache")
    alignment: int = Field(64, description="alignment of the buffers in bytes, a power of two")
    arrival: str = Field(
        "none",
        description="arrival pattern of the processes: `none`, `ascending`, `descending`, `random:SEED`, `one-late:US`",
    )
    arrival_spread_us: float = Field(100, description="time from the first arrival to the last in µs")
    rank_order: str = Field(
        "identity",
        description="order of the ranks that are measured: `identity`, `reverse`, `random:SEED`, `list:FILE`",
    )
    per_rank: bool = Field(False, description="keep the start and end of every run on every rank")
    memory: bool = Field(False, description="record the memory used by the MPI library, step by step")

    probes: str = Field(
        "record",
        description="`record`: read the probes between batches, in less than 1 % of the time; `gate`: and "
        "measure again, in at most 30 % more time, what was measured in another regime",
    )

    @field_validator("*")
    @classmethod
    def _as_the_engine_takes_it(cls, value: Fact, info: ValidationInfo) -> Fact:
        problem = "" if value is None else problem_of(contract().option(str(info.field_name)), value)
        if problem:
            raise ValueError(f"{value!r} is not possible; {problem}")
        return value

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """The JSON schema, with the engine's choices and limits."""
        schema = handler.resolve_ref_schema(handler(core))
        for name, entry in schema["properties"].items():
            option = contract().option(name)
            if option.kind == "choice":
                entry["enum"] = [*option.choices, *([None] if cls.model_fields[name].default is None else [])]
            elif option.kind in ("integer", "real"):
                for kind in entry.get("anyOf", [entry]):
                    if kind.get("type") in ("integer", "number"):
                        kind |= {"minimum": option.low, "maximum": option.high}
        return schema

    def words(self, **changes: Fact) -> dict[str, Fact]:
        """The options that are given, by the engine's names, with changes."""
        given = {**self.model_dump(exclude_none=True), **{name: value for name, value in changes.items() if value}}
        return {name.replace("_", "-"): value for name, value in given.items()}
