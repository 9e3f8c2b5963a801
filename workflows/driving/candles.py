# SPDX-License-Identifier: BSD-3-Clause
"""Candles that are damaged or lost, and so is their copy: restored from the attempts that made them."""

import shutil
from pathlib import Path

from isochron.common.copies import copy_of
from isochron.common.files import replaced
from isochron.common.sealed import remove_sealed, seal
from isochron.schemas.run.candle_files import candle_files, expected_candles
from isochron.schemas.run.launch_file import damage
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.plan import Plan


def candles_intact(run: RunLayout, plan: Plan) -> bool:
    """Return True if every candle of a session that was measured is in its place and intact."""
    return all(path.parent == run.candles and not damage(path) for path in candle_files(run, plan))


def restore_candles(run: RunLayout, plan: Plan) -> list[str]:
    """Restore candles that have no copy; return one line for each that was damaged or lost.

    A candle that is damaged everywhere is moved into the folder of its block, `<candle>.damaged`; its session is then
    analysed as one without a candle.
    """
    attempts = expected_candles(run, plan)
    lines = []
    for path in [run.candle(path.stem) for path in candle_files(run, plan)]:
        if damage(path):
            lines.append(_of_attempt(run, path, attempts.get(path.stem)))
        elif not copy_of(path).is_file():
            seal(path)
    return lines


def _of_attempt(run: RunLayout, path: Path, attempt: Path | None) -> str:
    """Replace a damaged or lost candle by that of its attempt, or move it away."""
    if attempt is not None and not damage(attempt):
        with replaced(path) as partial:
            shutil.copyfile(attempt, partial)
        seal(path)
        return f"{path}: damaged or lost; restored from {attempt.parent}"
    kept = run.attempts(path.name.partition(".")[0]) / f"{path.stem}.damaged"
    kept.parent.mkdir(parents=True, exist_ok=True)
    if path.is_file():
        path.replace(kept)
    remove_sealed(path)
    return f"{path}: damaged, as is its attempt; moved to {kept}: its session has no candle any more"
