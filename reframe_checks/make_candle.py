# SPDX-License-Identifier: BSD-3-Clause
"""The standard candle: built once for its sources, in the user's cache; it needs a C compiler and no MPI."""

from pathlib import Path

from isochron.common.cache import make_folder, user_cache
from isochron.common.children import captured
from isochron.common.files import FileError, lock, read_text, write_atomically
from isochron.common.hashing import sha256
from isochron.reframe_checks.call import HERE
from isochron.reframe_checks.stack.engine_cache import NOT_BUILT, sources_sha256

SOURCES = HERE / "engine"
CANDLE = "isochron-candle"


def make_candle(step: Path | None = None) -> Path:
    """Return the program of the standard candle, built if needed. Raises FileError if that fails.

    `step`: the file that says so to the progress of a run while it is built.
    """
    folder = user_cache("candles") / sources_sha256(SOURCES, NOT_BUILT)[:16]
    make_folder(folder)
    program, proof = folder / CANDLE, folder / f"{CANDLE}.sha256"
    with (folder / "lock").open("w", encoding="utf-8") as stream:
        lock(stream, wait=True)
        if program.is_file() and proof.is_file() and read_text(proof, "remove it") == sha256(program):
            return program
        if step is not None:
            write_atomically(step, "compiling the candle\n")
        command = ["make", "-C", str(SOURCES), "candle", f"BUILD={folder}"]
        done = captured(command)
        if step is not None:
            step.unlink(missing_ok=True)
        if done.returncode != 0 or not program.is_file():
            lines = [line for line in done.stderr.splitlines() if line.strip()] or ["no message"]
            raise FileError(f"{CANDLE}: cannot be built ({lines[-1]}); install a C compiler, or set CANDLE_CC")
        write_atomically(proof, sha256(program))
    return program
