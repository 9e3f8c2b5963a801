# SPDX-License-Identifier: BSD-3-Clause
"""The candles of a run: which there must be, by the sessions of the plan and the outcomes of attempts, and where."""

from pathlib import Path

from isochron.common.copies import files_in
from isochron.schemas.run.launch_file import damage
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.plan import Plan
from isochron.schemas.run.state import BlockState


def candle_name(block: str, attempt: str, session: str) -> str:
    """Return the name of the candle of a session; `attempt`: name of the attempt's folder."""
    return f"{block}.{attempt}.{session}.candle"


def expected_candles(layout: RunLayout, plan: Plan) -> dict[str, Path]:
    """Return the file in the attempt of each candle whose session has an accepted launch, by name."""
    expected: dict[str, Path] = {}
    for block in plan.blocks:
        session_of = {launch.name: launch.session for launch in block.launches if launch.session}
        for outcome in files_in(layout.attempts(block.name), "*/outcome.json") if session_of else []:
            state = BlockState.load_if_readable(outcome)
            launches = state.launches if state is not None else []
            accepted = {session_of.get(launch.name, "") for launch in launches if launch.accepted} - {""}
            names = [candle_name(block.name, outcome.parent.name, session) for session in sorted(accepted)]
            files = {name: outcome.parent / f"{name}.jsonl" for name in names}
            expected |= {name: file for name, file in files.items() if file.is_file()}
    return expected


def candle_files(layout: RunLayout, plan: Plan) -> list[Path]:
    """Return the file of each candle, in the order of their names; of a lost one that of the attempt, if it is intact.

    Damaged ones are among them: their reader refuses them.
    """
    files = {path.stem: path for path in files_in(layout.candles, "*.jsonl")}
    attempts = expected_candles(layout, plan)
    files |= {name: raw for name, raw in attempts.items() if name not in files and not damage(raw)}
    return [files[name] for name in sorted(files)]
