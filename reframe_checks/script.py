# SPDX-License-Identifier: BSD-3-Clause
"""The job script of a block: a few shell functions, then one line for each launch."""

from __future__ import annotations

import shlex
from collections.abc import Mapping

from isochron.ground.files import FileError
from isochron.reframe_checks.command import NODE_FACTS
from isochron.reframe_checks.launchers import OWN
from isochron.schemas.block_spec import BlockSpec, LaunchSpec, StackSpec, TimerCheck
from isochron.spack_envs.environment import shell_lines

#: Exit code of a launch whose engine is not the one that was built.
CHANGED_ENGINE = 97

#: Exit code of a launch that was to take a node that the job does not have.
LACKING_HOST = 96

#: Seconds that a launch has to end after it was told to.
GRACE = 10

#: Seconds that the description of a launch's nodes may take.
FACTS_SECONDS = 30

#: Seconds that trying the timers may take.
TIMERS_SECONDS = 60

#: Exit code of an engine that refuses to measure: here, with the timer of the campaign.
REFUSED = 3

#: `place HOST…` prescribes the host of each rank of the next launch: by name, or `@0` for the allocation's first.
#: `fill FILE WORD…` puts the words into `words`, with the hosts and the file of hosts where they belong.
#: `describe NAME STACK COMMAND…` writes what is known of the launch and, by COMMAND, of its nodes, before it starts.
#: `check_timers STACK COMMAND…` tries every timer on every node; where that of the campaign is refused the job ends.
#: `launch NAME STACK COMMAND…` runs one launch; one that fails does not stop the others.
#: Nothing of a launch may be left when the next one starts: MPI processes can outlive their mpiexec.
#: A job whose attempt has been closed (its call was killed, another call went on) ends by itself.
FUNCTIONS = r"""
allocated_hosts() {
    if [ -n "${ISOCHRON_SIMULATED_NODES-}" ]; then tr ' ' '\n' <<< "$ISOCHRON_SIMULATED_NODES"
    elif [ -n "${SLURM_JOB_NODELIST-}" ]; then scontrol show hostnames "$SLURM_JOB_NODELIST"
    elif [ -n "${PBS_NODEFILE-}" ]; then cat "$PBS_NODEFILE"
    elif [ -n "${LSB_DJOB_HOSTFILE-}" ]; then cat "$LSB_DJOB_HOSTFILE"
    elif [ -n "${FLUX_URI-}" ]; then flux hostlist --expand local | tr ' ' '\n'
    else hostname
    fi | awk '!seen[$0]++'
}
place() {
    local host index
    lacking="" hosts=""
    : > "$host_file"
    for host in "$@"; do
        case $host in @*) index=${host#@} host=${allocation[${host#@}]-} ;; esac
        case " ${allocation[*]} " in
        *" ${host:-none} "*) echo "$host" >> "$host_file" ;;
        *) lacking="${host:-node $index} is not among the nodes of this job (${allocation[*]})" ;;
        esac
    done
    hosts=$(awk '!seen[$0]++' "$host_file" | paste -sd,)
}
end_survivors() {
    for environ in $(grep -lsxzF "ISOCHRON_LAUNCH=$1" /proc/[0-9]*/environ); do
        process=${environ#/proc/}
        kill -KILL "${process%/environ}" 2> /dev/null
    done
}
end_steps() {
    [ -n "${SLURM_JOB_ID-}" ] || return 0
    for step in $(squeue --noheader --steps --jobs "$SLURM_JOB_ID" --format %i | grep -vE '[.](batch|extern)$'); do
        scancel --signal=KILL "$step"
    done
}
fill() {
    local file=$1 word
    shift
    words=()
    for word in "$@"; do
        word=${word//'{hosts}'/$hosts}
        words+=("${word//'{host_file}'/$file}")
    done
}
describe() {
    local name=$1 stack=$2 words
    shift 2
    awk '!seen[$0]++' "$host_file" > "$host_file.nodes"
    fill "$host_file.nodes" "$@"
    (
        export ISOCHRON_LAUNCH=$attempt/$name ISOCHRON_NODE_LIST="${allocation[*]}"
        enter "$stack"
        bash "$node_facts" launch
        timeout -k 5 FACTS_SECONDS "${words[@]}"
    ) < /dev/null 2> /dev/null > "$attempt/$name.provenance"
    end_survivors "$attempt/$name"
}
check_timers() {
    local stack=$1 code words
    shift
    fill "$host_file" "$@"
    (
        export ISOCHRON_LAUNCH=$attempt/timers
        enter "$stack"
        exec timeout -k GRACE TIMERS_SECONDS "${words[@]}"
    ) < /dev/null > "$attempt/timers.txt" 2> "$attempt/timers.err"
    code=$?
    end_survivors "$attempt/timers"
    [ "$code" = 0 ] || end_steps
    if [ "$code" = REFUSED ]; then
        grep '^isochron-engine:' "$attempt/timers.err" >&2
        exit 1
    fi
}
launch() {
    local name=$1 stack=$2 code words
    shift 2
    if [ -e "$attempt/outcome.json" ]; then
        echo "this attempt has been closed: nothing is left to do here" >&2
        exit 1
    fi
    fill "$host_file" "$@"
    (
        export ISOCHRON_LAUNCH=$attempt/$name
        enter "$stack"
        if ! echo "$engine_sha256  $engine" | sha256sum --check --status; then
            echo "$engine is not the engine that was built; build the stack again" >&2
            exit CHANGED_ENGINE
        fi
        if [ -n "$lacking" ]; then
            echo "$lacking" >&2
            exit LACKING_HOST
        fi
        exec timeout -k GRACE "$launch_seconds" "${words[@]}"
    ) < /dev/null > "$attempt/$name.out" 2> "$attempt/$name.err"
    code=$?
    end_survivors "$attempt/$name"
    [ "$code" = 0 ] || end_steps
    echo "$code" > "$attempt/$name.exit"
    echo "launch $name exit $code"
}
host_file=$(mktemp)
trap 'rm -f "$host_file" "$host_file.nodes"' EXIT
hosts="" lacking=""
mapfile -t allocation < <(allocated_hosts)
"""
_NUMBERS = {"CHANGED_ENGINE": CHANGED_ENGINE, "LACKING_HOST": LACKING_HOST, "GRACE": GRACE}
_NUMBERS |= {"FACTS_SECONDS": FACTS_SECONDS, "TIMERS_SECONDS": TIMERS_SECONDS, "REFUSED": REFUSED}
for _name, _value in _NUMBERS.items():
    FUNCTIONS = FUNCTIONS.replace(_name, str(_value))


def job_lines(
    spec: BlockSpec, header: Mapping[str, str], *, launcher: str = OWN, variables: Mapping[str, str] | None = None
) -> list[str]:
    """Lines of bash that run all launches.

    `header` is added to the header of each raw file; `launcher` is that of the site's partition, by ReFrame's name;
    `variables` are those that the site's configuration sets: every launch gets them, after its stack's environment.
    """
    lines = [f"attempt={shlex.quote(spec.attempt)}", f"launch_seconds={spec.launch_seconds}"]
    lines += [f"node_facts={shlex.quote(str(NODE_FACTS))}", 'date +%s > "$attempt/started"']
    exports = [f'export {name}="{value}"' for name, value in (variables or {}).items()]
    lines += ["enter() {", '    case "$1" in']
    for name, stack in spec.stacks.items():
        body = [*_stack_lines(stack), *exports]
        lines += [f"    {shlex.quote(name)})", *(f"        {line}" for line in body), "        ;;"]
    lines += ["    esac", "}", *FUNCTIONS.strip().splitlines()]
    launcher = OWN if spec.launcher == OWN else launcher
    if spec.timer_check is not None:
        lines += _timer_lines(spec.timer_check, launcher)
    for launch in spec.launches:
        lines += _launch_lines(launch, header, launcher)
    return lines


def _timer_lines(check: TimerCheck, launcher: str) -> list[str]:
    """The timers of all nodes, by the launcher that will start the launches."""
    words = check.launchers.get(launcher) or check.launchers.get(OWN) or []
    return [
        shlex.join(["place", *check.rank_hosts]),
        shlex.join(["check_timers", check.stack, *words, *check.program]),
    ]


def _launch_lines(launch: LaunchSpec, header: Mapping[str, str], launcher: str) -> list[str]:
    """A launch by the site's launcher where its stack has words for that, else by the stack's own."""
    name = launcher if launcher in launch.launchers else OWN
    if name not in launch.launchers:
        raise FileError(
            f"stack {launch.stack}: its own launcher cannot be told the nodes of '{launch.placement}'; use a partition "
            f"with launcher {' or '.join(launch.launchers)}, or leave the placement out"
        )
    facts = {**header, "launcher": name}
    if launch.rank_hosts:
        facts["asked_hosts"] = "{hosts}"
    pairs = [f"{key}={value}" for key, value in facts.items()]
    describer = [*launch.describers.get(name, []), "bash", str(NODE_FACTS), "node"]
    return [
        shlex.join(["place", *launch.rank_hosts]),
        shlex.join(["describe", launch.name, launch.stack, *describer]),
        shlex.join(["launch", launch.name, launch.stack, *launch.launchers[name], *launch.program, *pairs]),
    ]


def _stack_lines(stack: StackSpec) -> list[str]:
    return [
        *shell_lines(stack.environment),
        f"engine={shlex.quote(stack.engine)}",
        f"engine_sha256={stack.engine_sha256}",
    ]


def job_seconds(spec: BlockSpec) -> int:
    """Time that the whole job may take: each launch its limit and that of its description, the timers, and a minute."""
    return 60 + TIMERS_SECONDS + GRACE + len(spec.launches) * (spec.launch_seconds + FACTS_SECONDS + GRACE + 5)
