# SPDX-License-Identifier: BSD-3-Clause
"""`python -m tests.soak`: faults from a seed, for so many seconds; `make soak SECONDS=7200 SEED=1`.

Ends with 0 when the time is over or Ctrl-C was pressed, with 1 when something was lost, doubled, wrongly reliable or
needed a hand; it then prints the command that repeats the fault, and keeps the folder.
"""

from __future__ import annotations

import argparse
import secrets
import shutil
import signal
import sys
import tempfile
from pathlib import Path

from tests.soak.failure import SoakFailure
from tests.soak.soak import OF_A_LIFE, Soak


def main() -> int:
    """Parse, soak, say what was seen."""
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("--seconds", type=float, default=7200, help="how long")
    parser.add_argument("--seed", type=int, help="decides about every fault; a fresh one where none is given")
    parser.add_argument("--first", type=int, default=0, help="begin with the life of this fault")
    parser.add_argument("--fault", type=int, help="repeat this one: the life that it fell on, up to it")
    words = parser.parse_args()
    seed = secrets.randbelow(10**6) if words.seed is None else words.seed
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)
    folder = Path(tempfile.mkdtemp(prefix=f"isochron-soak-{seed}-")).resolve()
    print(f"seed {seed}, in {folder}", flush=True)
    soak = Soak(seed, folder, say=lambda line: print(line, flush=True))
    try:
        if words.fault is None:
            soak.run(words.seconds, words.first)
        else:
            soak.live(words.fault // OF_A_LIFE, until=words.fault)
    except SoakFailure as failure:
        print(f"{failure}\n\n{soak.summary()}", file=sys.stderr)
        print(f"FAILED: seed {seed}, fault {soak.number}; all is kept in {folder}", file=sys.stderr)
        print(f"again: make soak SEED={seed} FAULT={soak.number}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
    print(soak.summary())
    shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
