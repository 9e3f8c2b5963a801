# SPDX-License-Identifier: BSD-3-Clause
"""The job script of a block: a few shell functions, then one line for each launch."""

from __future__ import annotations

import shlex
from collections.abc import Mapping

from reframe_checks.spec import BlockSpec, StackSpec
from spack_envs.environment import shell_lines

#: Exit code of a launch whose engine is not the one that was built.
CHANGED_ENGINE = 97

#: Seconds that a launch has to end after it was told to.
GRACE = 10

#: `launch NAME STACK COMMAND…` runs one launch; one that fails does not stop the others.
#: Nothing of a launch may be left when the next one starts: MPI processes can outlive their mpiexec.
FUNCTIONS = r"""
end_survivors() {
    for environ in $(grep -lsxzF "ISOCHRON_LAUNCH=$1" /proc/[0-9]*/environ); do
        process=${environ#/proc/}
        kill -KILL "${process%/environ}" 2> /dev/null
    done
}
launch() {
    local name=$1 stack=$2 code
    shift 2
    (
        export ISOCHRON_LAUNCH=$attempt/$name
        enter "$stack"
        if ! echo "$engine_sha256  $engine" | sha256sum --check --status; then
            echo "$engine is not the engine that was built; build the stack again" >&2
            exit 97
        fi
        exec timeout -k GRACE "$launch_seconds" "$@"
    ) < /dev/null > "$attempt/$name.out" 2> "$attempt/$name.err"
    code=$?
    end_survivors "$attempt/$name"
    echo "$code" > "$attempt/$name.exit"
    echo "launch $name exit $code"
}
""".replace("GRACE", str(GRACE))


def job_lines(spec: BlockSpec, header: Mapping[str, str]) -> list[str]:
    """Lines of bash that run all launches; `header` is added to the header of each raw file."""
    lines = [f"attempt={shlex.quote(spec.attempt)}", f"launch_seconds={spec.launch_seconds}"]
    lines += ["enter() {", '    case "$1" in']
    for name, stack in spec.stacks.items():
        lines += [f"    {shlex.quote(name)})", *(f"        {line}" for line in _stack_lines(stack)), "        ;;"]
    lines += ["    esac", "}", *FUNCTIONS.strip().splitlines()]
    pairs = [f"{key}={value}" for key, value in header.items()]
    for launch in spec.launches:
        lines.append(shlex.join(["launch", launch.name, launch.stack, *launch.command, *pairs]))
    return lines


def _stack_lines(stack: StackSpec) -> list[str]:
    return [
        *shell_lines(stack.environment),
        f"engine={shlex.quote(stack.engine)}",
        f"engine_sha256={stack.engine_sha256}",
    ]


def job_seconds(spec: BlockSpec) -> int:
    """Time that the whole job may take: each launch its limit, and a minute."""
    return 60 + len(spec.launches) * (spec.launch_seconds + GRACE + 5)
