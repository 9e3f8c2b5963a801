# SPDX-License-Identifier: BSD-3-Clause
"""`blocks RUN BLOCK…`: run the missing launches of blocks by one ReFrame call, which accepts them block by block."""

from collections.abc import Callable
from pathlib import Path

from isochron.common.exit_codes import Exit
from isochron.common.files import FileError
from isochron.reframe_checks.attempts import Attempts
from isochron.reframe_checks.call import Interrupted, call_reframe, complaint, lock_folder
from isochron.reframe_checks.launch.sharing import not_started, with_shared_cores
from isochron.schemas.run.ended import Ended, read_ended
from isochron.schemas.run.layout import RunLayout

Tell = Callable[[Ended], None]


def run_blocks(run: Path, names: list[str], *, again: bool = False, tell: Tell | None = None) -> list[Ended]:
    """Complete blocks, in this order. Returns what became of each, and tells it as soon as it is known.

    `again`: attempts at these blocks have just failed. If the engine refused its options, or processes shared cores
    that would suffice for all, nothing is started, because that would be so again. Raises FileError.
    """
    blocks = Attempts.of_blocks(run, names)
    layout = RunLayout(run.resolve())
    known: list[Ended] = []

    def note(ended: Ended) -> None:
        known.append(ended)
        if tell is not None:
            tell(ended)

    with lock_folder(layout.root / "attempts"):
        begin = []
        for block in blocks:
            block.recover()
        of_last = {block.block.name: block.refused() for block in blocks} if again else {}
        shared = with_shared_cores(Ended(block=name, exit=Exit.FAILED, lines=of_last[name]) for name in of_last)
        for block in blocks:
            name, lacks = block.block.name, bool(block.complete())
            refused = of_last.get(name) or ([not_started(name, shared)] if shared and lacks else [])
            if not lacks or refused:
                note(Ended(block=name, exit=Exit.FAILED if refused else Exit.DONE, lines=refused))
            else:
                begin.append(block)
        if begin:
            _measure(layout, begin, note)
    return known


def _measure(layout: RunLayout, blocks: list[Attempts], note: Tell) -> None:
    """Run one attempt at each of these blocks."""
    campaign = blocks[0].campaign
    names = [block.block.name for block in blocks]
    folder = _next_folder(layout.logs / "reframe", names[0])
    told: set[str] = set()

    def tell_ended() -> None:
        for ended in read_ended(folder):
            if ended.block not in told:
                told.add(ended.block)
                note(ended)

    try:
        code = call_reframe(
            "block",
            {"Block.campaign_run": str(layout.root), "Block.call": str(folder)},
            site=campaign.site,
            folder=folder,
            work=layout.root / "attempts",
            blocks=names,
            jobs=campaign.site.parallel_blocks,
            meanwhile=tell_ended,
        )
    except Interrupted:
        for block in blocks:
            block.recover()
        raise
    tell_ended()
    for block in blocks:
        if block.block.name not in told:
            note(_not_ended(block, complaint(folder, code)))


def _not_ended(block: Attempts, reason: str) -> Ended:
    """Return what became of a block of which ReFrame said nothing, because it failed or was killed."""
    open_folders = block.unfinished()
    try:
        lines = block.end(open_folders[-1] if open_folders else None, {}, reason)
    except FileError as error:
        lines = [str(error)]
    return Ended(block=block.block.name, exit=Exit.FAILED if lines else Exit.DONE, lines=lines)


def _next_folder(logs: Path, name: str) -> Path:
    """Return the folder of a new call, named for its first block."""
    numbers = [int(path.name.rpartition("-")[2]) for path in logs.glob(f"{name}-[0-9]*")]
    return logs / f"{name}-{max(numbers, default=0) + 1:02d}"
