# SPDX-License-Identifier: BSD-3-Clause
"""The launches that measure in turns: the place of each, and the standard candle that takes part."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from math import ceil
from pathlib import Path

from isochron.reframe_checks.launch.segments import segment_name
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.input.turns import turn_passes
from isochron.schemas.run.block_spec import CandleSpec, LaunchSpec
from isochron.schemas.run.candle_files import candle_name
from isochron.schemas.run.plan import PlannedLaunch

#: How many times what the plan expects of all launches of a session it may take beyond the limit of one launch.
PATIENCE = 3


@dataclass(frozen=True)
class Turn:
    """The place of a launch among those that measure in turns.

    `segment`: the name of their shared memory on each node; `index`: of `count` launches, from 0; `seed`: of the order;
    `passes`: in each turn; `last`: the one that ends last; `solo_rounds`: how many rounds it measures alone, when the
    others have ended; `seconds`: what the plan expects of all of them together.
    """

    segment: str
    index: int
    count: int
    seed: int
    passes: int
    last: int
    solo_rounds: int
    seconds: float = 0.0

    @property
    def words(self) -> list[str]:
        """The engine's options."""
        words = ["--turns", self.segment, "--turn", f"{self.index}/{self.count}", "--turn-seed", str(self.seed)]
        words += ["--turn-last", str(self.last)]
        words += ["--turn-passes", str(self.passes)] if self.passes > 1 else []
        return words + (["--solo-passes", str(self.solo_rounds)] if self.solo_rounds else [])

    def limit_s(self, launch_seconds: int) -> int:
        """Return the seconds after which the session is stopped, by `limits.launch_seconds`.

        One that waits for a launch which no longer gets anywhere ends long before the limits of all launches together.
        """
        return min(self.count * launch_seconds, launch_seconds + ceil(PATIENCE * self.seconds))


def turns_of(launches: Sequence[PlannedLaunch], campaign: Campaign, attempt: Path, *, candle: bool) -> dict[str, Turn]:
    """Return the turn of each launch of an attempt that has one, by its name; a launch without company has none.

    `candle`: whether a standard candle takes part, with the last turn.
    """
    sessions: dict[str, list[PlannedLaunch]] = {}
    for launch in launches:
        if launch.session:
            sessions.setdefault(launch.session, []).append(launch)
    turns: dict[str, Turn] = {}
    for session, members in sessions.items():
        if len(members) < 2:
            continue
        first = Turn(
            segment=segment_name(attempt, session),
            index=0,
            count=len(members) + candle,
            seed=random.Random(f"{campaign.seed}:{members[0].block}:{session}").randrange(2**31),
            passes=turn_passes(campaign.engine.passes),
            last=next((index for index, launch in enumerate(members) if launch.solo), len(members) - 1),
            solo_rounds=campaign.replication.solo_rounds,
            seconds=sum(launch.seconds for launch in members),
        )
        turns |= {launch.name: replace(first, index=index) for index, launch in enumerate(members)}
    return turns


def candle_specs(
    launches: Sequence[LaunchSpec],
    turns: Mapping[str, Turn],
    campaign: Campaign,
    attempt: Path,
    candle: Path,
    in_images: Mapping[str, Path],
) -> list[CandleSpec]:
    """Return the standard candles of the sessions of an attempt: each is started as a launch of its session.

    That is the first one that is not in an image; where all are, the candle is started as the first one, in its image.
    `in_images`: stacks in images, and the copy of the candle that is visible inside.
    """
    specs = []
    for session, members in groupby(launches, key=lambda launch: launch.session):
        if not session:
            continue
        alike = list(members)
        first = next((launch for launch in alike if launch.stack not in in_images), alike[0])
        of_first = turns[first.name]
        turn = replace(of_first, index=of_first.count - 1, passes=1, solo_rounds=0)
        name = candle_name(attempt.parent.name, attempt.name, session)
        cases = first.program[1:5]  # --operations, --sizes
        program = [
            str(in_images.get(first.stack, candle)), *cases, "--passes", str(campaign.engine.passes // of_first.passes),
            "--expect-ranks", str(first.processes),
            "--rendezvous", str(attempt), "--output", str(attempt / f"{name}.jsonl"),
            "--append-header", f"session={turn.segment}",
        ]  # fmt: skip
        specs.append(
            CandleSpec(
                name=name,
                session=session,
                stack=first.stack,
                launchers=first.launchers,
                program=program,
                turn=turn.words,
                launch_seconds=first.launch_seconds,
            )
        )
    return specs
