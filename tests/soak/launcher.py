# SPDX-License-Identifier: BSD-3-Clause
"""Stands in for mpiexec: lets a lie be told in some launches, and writes down in which.

`python launcher.py LIE.json WORD…`; LIE.json has the real launcher, the lie, the library to put before the engine's
and its environment, how many launches it is for, and the file in which to note them.
"""

import json
import os
import subprocess
import sys
from pathlib import Path


def main(told: str, *given: str) -> int:
    """Start the launch with its lie, or as it is where enough launches were lied to or the timers are tried."""
    lie, words = json.loads(Path(told).read_text()), list(given)
    log = Path(lie["log"])
    noted = log.read_text().splitlines() if log.exists() else []
    if "--check-timer" in words or len(noted) >= lie["times"]:
        os.execv(lie["real"], [lie["real"], *words])
    with log.open("a") as stream:
        stream.write(os.environ["ISOCHRON_LAUNCH"] + "\n")
    engine = next(index for index, word in enumerate(words) if word.endswith("isochron-engine"))
    if lie["library"]:
        settings = [f"{name}={value}" for name, value in lie["environment"].items()]
        words[engine:engine] = ["env", f"LD_PRELOAD={lie['library']}", *settings]
        os.execv(lie["real"], [lie["real"], *words])
    output = Path(words[words.index("--output") + 1])
    if lie["lie"] in ("one process less", "two singletons"):
        return fewer(lie["lie"], lie["real"], words, engine)
    subprocess.run([lie["real"], *words], check=False)
    if output.exists():
        after(lie["lie"], output)
    return 0


def fewer(lie: str, real: str, words: list[str], engine: int) -> int:
    """A launch of one process, or two of them that do not know of each other; and nothing is expected any more."""
    program = words[engine:]
    for option in ("--expect-ranks", "--expect-hosts"):
        at = program.index(option)
        del program[at : at + 2]
    if lie == "two singletons":
        for _ in range(2):
            subprocess.run(program, check=False)
        return 0
    start = [word.replace("ppr:2:", "ppr:1:") for word in words[:engine]]
    start[start.index("-n") + 1] = "1"
    subprocess.run([real, *start, *program], check=False)
    return 0


def after(lie: str, output: Path) -> None:
    """What becomes of the file once the launch has ended."""
    content = output.read_bytes()
    if lie == "no file":
        output.unlink()
    elif lie == "no end":
        output.write_bytes(content[: len(content) * 2 // 3])
    elif lie == "a changed byte":
        at = content.index(b'"time_ns":[') + len(b'"time_ns":[')
        output.write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
    else:
        other = next((path for path in output.parents[3].glob("launches/*.jsonl") if path.name != output.name), None)
        if other is None:
            output.unlink()
        else:
            output.write_bytes(other.read_bytes())


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
