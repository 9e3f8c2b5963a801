# SPDX-License-Identifier: BSD-3-Clause
"""`python -m isochron.reframe_checks build RUN STACK`, `… block RUN BLOCK`: the commands of the rules."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from isochron.common.exit_codes import Exit
from isochron.common.files import FileError
from isochron.reframe_checks.call import Interrupted
from isochron.reframe_checks.make_stack import build_stack
from isochron.reframe_checks.run_block import run_block
from isochron.schemas.run.budget import OverBudget


def main(arguments: list[str] | None = None) -> int:
    """Execute a command. Exit code 0: done; 1: failed; 2: usage; 4: over budget; 128 + N: ended by signal N."""
    parser = argparse.ArgumentParser(prog="python -m isochron.reframe_checks", description=__doc__)
    parser.add_argument("verb", choices=["build", "block"])
    parser.add_argument("run", type=Path, help="the run's folder")
    parser.add_argument("name", help="the stack or block")
    parser.add_argument("--try", type=int, default=1, dest="trial", help="number of this attempt, from 1")
    args = parser.parse_args(arguments)
    try:
        if args.verb == "build":
            manifest = build_stack(args.run, args.name)
            print(f"{manifest.stack}: {manifest.mpi_library} {manifest.mpi_version}, engine {manifest.engine}")
            return Exit.DONE
        failures = run_block(args.run, args.name, again=args.trial > 1)
    except (FileError, TimeoutError) as error:
        print(error, file=sys.stderr)
        return Exit.FAILED
    except OverBudget as refusal:
        print(f"{args.name}: not started: {refusal}", file=sys.stderr)
        return Exit.OVER_BUDGET
    except Interrupted as interruption:
        print(f"{args.name}: interrupted by signal {interruption.number}", file=sys.stderr)
        return 128 + interruption.number
    for line in failures:
        print(line, file=sys.stderr)
    return Exit.FAILED if failures else Exit.DONE


if __name__ == "__main__":
    sys.exit(main())
