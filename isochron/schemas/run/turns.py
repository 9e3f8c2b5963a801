# SPDX-License-Identifier: BSD-3-Clause
"""The turns of a launch that measured in turns with others on the same processors (docs/reference/engine.md)."""

from typing import Literal, Self

from pydantic import Field, model_validator

from isochron.schemas.run.record_parts import Duration, EngineRecord, Int64


class TurnPlan(EngineRecord):
    """Which resident the launch is, and what is the same for all residents: the order of the turns follows from it."""

    index: Int64
    residents: Int64 = Field(ge=2)
    seed: Int64
    rounds: Int64 = Field(ge=1)
    passes: Int64 = Field(default=1, ge=1)  # in each turn; engines before this had one
    cases: Int64 = Field(ge=1)
    limit_ns: Duration

    @model_validator(mode="after")
    def _is_one_of_the_residents(self) -> Self:
        if not 0 <= self.index < self.residents:
            raise ValueError(f"index: {self.index} of {self.residents} residents")
        return self


class LostResident(EngineRecord):
    """A resident that had not all its turns, and why."""

    resident: Int64
    reason: Literal["failed", "died", "too-long", "not-joined"]


class TurnLog(EngineRecord):
    """Columns of one length, an entry for each case of each pass, in order of time; `TurnPlan.passes` make a turn.

    `t_ns` is CLOCK_MONOTONIC of the node of rank 0 when the case began, so that the residents share a time axis.
    `slept_cpu_ns` is the processor time of all threads of one process while it waited, the most of all processes;
    `handover_ns` the time from the end of the previous turn until the last process had this one.
    """

    pass_: list[Int64] = Field(alias="pass")
    case: list[Int64]
    position: list[Int64]
    t_ns: list[Int64]
    turn_ns: list[Duration]
    waited_ns: list[Duration]
    slept_cpu_ns: list[Duration]
    handover_ns: list[Duration]
    warmup_reps: list[Int64]

    @model_validator(mode="after")
    def _has_columns_of_one_length(self) -> Self:
        columns = (self.case, self.position, self.t_ns, self.turn_ns, self.waited_ns, self.slept_cpu_ns,
                   self.handover_ns, self.warmup_reps)  # fmt: skip
        if {len(column) for column in columns} != {len(self.pass_)}:
            raise ValueError("pass: the columns of the turns differ in length")
        if any(end > begin for end, begin in zip(self.ends_ns, self.t_ns[1:], strict=False)):
            raise ValueError("t_ns: a turn begins before the previous one has ended")
        return self

    @property
    def ends_ns(self) -> list[int]:
        """The end of each turn, on the axis of `t_ns`."""
        return [begin + length for begin, length in zip(self.t_ns, self.turn_ns, strict=True)]


class Solo(TurnLog):
    """The passes that a resident made when the others had ended; `company`: those that had not."""

    company: list[Int64]


class Turns(TurnLog):
    """What a launch records of its turns; `case` is an index into `operations` and `bytes`."""

    record: Literal["turns"]
    operations: list[str]
    bytes: list[Int64]
    lost: list[LostResident]
    solo: Solo | None = None

    @model_validator(mode="after")
    def _names_its_cases(self) -> Self:
        if len(self.operations) != len(self.bytes):
            raise ValueError("operations, bytes: differ in length")
        cases = {case for log in (self, self.solo) if log is not None for case in log.case}
        if not cases <= set(range(len(self.operations))):
            raise ValueError(f"case: there are {len(self.operations)} cases, from 0")
        return self
