# SPDX-License-Identifier: BSD-3-Clause
"""`python -m isochron.reframe_checks build RUN STACK`, `… blocks RUN BLOCK…`: the commands of the rules."""

import argparse
import sys
from pathlib import Path

from isochron.common.exit_codes import Exit
from isochron.common.files import FileError
from isochron.reframe_checks.call import Interrupted
from isochron.reframe_checks.make_stack import build_stack
from isochron.reframe_checks.run_blocks import run_blocks
from isochron.schemas.run.ended import Ended


def main(arguments: list[str] | None = None) -> int:
    """Execute a command. Exit code 0: done; 1: failed; 2: usage; 4: over budget; 128 + N: ended by signal N."""
    parser = argparse.ArgumentParser(prog="python -m isochron.reframe_checks", description=__doc__)
    parser.add_argument("verb", choices=["build", "blocks"])
    parser.add_argument("run", type=Path, help="the run's folder")
    parser.add_argument("names", nargs="+", help="the stack, or blocks")
    parser.add_argument("--try", type=int, default=1, dest="trial", help="number of this attempt, from 1")
    parser.add_argument(
        "--tell", action="store_true", help="print a line of JSON for each block that ended, instead of its messages"
    )
    args = parser.parse_args(arguments)
    try:
        if args.verb == "build":
            manifest = build_stack(args.run, args.names[0])
            print(f"{manifest.stack}: {manifest.mpi_library} {manifest.mpi_version}, engine {manifest.engine}")
            return Exit.DONE
        ended = run_blocks(args.run, args.names, again=args.trial > 1, tell=lambda ended: _tell(ended, args.tell))
    except (FileError, TimeoutError) as error:
        print(error, file=sys.stderr)
        return Exit.FAILED
    except Interrupted as interruption:
        print(f"{', '.join(args.names)}: interrupted by signal {interruption.number}", file=sys.stderr)
        return 128 + interruption.number
    return max(each.exit for each in ended)


def _tell(ended: Ended, tell: bool) -> None:
    if tell:
        print(ended.model_dump_json(), flush=True)
        return
    for line in ended.lines:
        print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
