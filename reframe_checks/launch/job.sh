# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Each subshell has an ISOCHRON_LAUNCH of its own; enter() sets engine, its hash, libraries, inside and image:
# shellcheck disable=SC2030,SC2031,SC2154
#
# The functions of a block's job script; reframe_checks/launch/script.py writes them between the block's own values and its
# launches, so that a job needs no other file.
#
# place HOST… prescribes the host of each rank of the next launch: by name, or @0 for the allocation's first.
# fill FILE NAME WORD… puts the words into words, with the hosts, the file of hosts, the launch's name in the job and the
# interface of its stack ($stack). The first one is a program of the site: a stack may bring another by that name (the
# mpiexec of Open MPI, where PALS starts).
# tell_hosts VARIABLE… names a file of the allocation's hosts in variables of launchers, where the site has set none.
# keep FILE writes its input so that the file is whole or not there, whatever happens to the machine.
# describe NAME STACK COMMAND… writes what is known of the launch and, by COMMAND, of its nodes, before it starts.
# check_interface STACK WORD VARIABLE COMMAND… chooses what the site's launcher, asked by COMMAND, has of an interface: what
# the site names in VARIABLE if that is WORD or a version of it, else the WORD itself, else its newest version (WORD_v4).
# The job ends if it has nothing.
# check_timers STACK COMMAND… tries every timer on every node; where that of the campaign is refused the job ends.
# check_transport STACK COMMAND… keeps what a launch prints whose library is made to print what carries its messages: the
# measured launches of the stack are the same but for that. Whether it succeeds does not matter.
# check_image fails if the image of the stack has another digest than when the engine was built. A job reads an image
# again only where one of its files has changed.
# check_libraries fails if the engine would load another MPI library, here and in this environment, than it was built with.
# launch NAME STACK COMMAND… runs one launch; one that fails does not stop the others. {now} is the time of its start.
# begin_session MIB refuses the launches of a session if this node has less free memory than all of them need.
# join NAME STACK COMMAND… starts one launch of those that measure in turns, and finish_session waits for all of them.
# remove_segments removes the shared memory of this block's turns on this node, which killed launches leave behind.
# Nothing of a launch may be left when the next one starts: MPI processes can outlive their mpiexec.
# refuse_job ends a job that the scheduler has started again, and one of several components.
# A job whose attempt has been closed (its call was killed, another call went on) ends by itself.
#
# The script sets before: attempt, segments (how the files of this block's turns begin), launch_seconds, node_facts, the
# seconds and exit codes below, sharing (variables with which several launches run on the same cores), the function
# enter STACK, which sets up the environment of a stack, the variables engine and engine_sha256 and the array libraries
# (hash, two blanks, path); of a stack in an image inside (the words before a command that runs in it), image_check (the
# command that prints its digest) and image_digest; and, of the scheduler in whose job it runs, the functions scheduler_hosts (prints the hosts),
# end_steps STEP (ends the steps of that name) and before_launch STEP (tells what starts next of the job, and gives its
# steps that name), and the variables scheduler (its name), job_facts (arguments of node_facts), restarts and components
# (names of variables); site_launcher is the launcher of the partition or of the campaign file, by ReFrame's name.
: "${attempt:?}" "${segments:?}" "${launch_seconds:?}" "${node_facts:?}"
: "${grace_seconds:?}" "${facts_seconds:?}" "${timers_seconds:?}" "${transport_seconds:?}" "${transport_bytes:?}"
: "${sharing[0]:?}" "${refused:?}" "${lacking_host:?}" "${changed_engine:?}" "${changed_image:?}" "${changed_library:?}" "${lacking_memory:?}"

allocated_hosts() {
    if [ -n "${ISOCHRON_SIMULATED_NODES-}" ]; then tr ' ' '\n' <<< "$ISOCHRON_SIMULATED_NODES"
    else scheduler_hosts
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
    local environ process
    grep -lsxzF "ISOCHRON_LAUNCH=$1" /proc/[0-9]*/environ | while read -r environ; do
        process=${environ#/proc/}
        kill -KILL "${process%/environ}" 2> /dev/null
    done
}
fill() {
    local file=$1 word pmi=${interfaces[${stack:-none}]-}
    step=${segments##*/}$2
    shift 2
    words=()
    for word in "$@"; do
        word=${word//'{hosts}'/$hosts} word=${word//'{launch}'/$step} word=${word//'{pmi}'/$pmi}
        words+=("${word//'{host_file}'/$file}")
    done
    words[0]=$(type -P "${words[0]}" || echo "${words[0]}")
}
tell_hosts() {
    local variable
    printf '%s\n' "${allocation[@]}" > "$host_file.all"
    for variable in "$@"; do export "$variable=${!variable:-$host_file.all}"; done
}
keep() {
    cat > "$1.partial"
    sync "$1.partial" 2> /dev/null
    mv "$1.partial" "$1"
    sync "$(dirname "$1")" 2> /dev/null
}
describe() {
    local name=$1 stack=$2 words step
    shift 2
    awk '!seen[$0]++' "$host_file" > "$host_file.nodes"
    fill "$host_file.nodes" "$name" "$@"
    (
        export ISOCHRON_LAUNCH=$attempt/$name ISOCHRON_NODE_LIST="${allocation[*]}"
        enter "$stack"
        before_launch "$step"
        site_launcher=$site_launcher scheduler=$scheduler bash "$node_facts" launch site_launcher=site_launcher \
            scheduler=scheduler "${job_facts[@]}"
        timeout -k 5 "$facts_seconds" "${words[@]}"
    ) < /dev/null 2> /dev/null | keep "$attempt/$name.provenance"
    end_survivors "$attempt/$name"
}
check_interface() {
    local stack=$1 word=$2 own=$3 versions
    own=${own:+${!own-}}
    shift 3
    : "${offered=$(timeout "$facts_seconds" "$@" 2>&1 < /dev/null | awk '
        { sub(/^[a-z]+: /, ""); sub(/^mpi\//, "") } # of the older format, on standard error
        /^MPI .*types are/ { listed = 1; next }
        listed && /available:/ { sub(/.*: */, ""); gsub(/,/, "\n"); print; next }
        listed && NF == 1 { print $1 }')}"
    versions=$(grep -xE -e "${word}_v[0-9]+" <<< "$offered" | sort -V)
    [[ $own == "$word" || $own == "${word}_"* ]] || own=""
    if [ -z "$offered" ]; then interfaces[$stack]=${own:-$word} # the launch will tell
    elif [ -n "$own" ] && grep -qxF -e "$own" <<< "$offered"; then interfaces[$stack]=$own
    elif grep -qxF -e "$word" <<< "$offered"; then interfaces[$stack]=$word
    elif [ -n "$versions" ]; then interfaces[$stack]=${versions##*$'\n'}
    elif [ -n "$own" ]; then interfaces[$stack]=$own
    else
        echo "$stack: its ranks connect by $word (launcher.pmi of its family), and \`$*\` has only" \
            "$(paste -sd, <<< "$offered" | sed 's/,/, /g') here; write \`site.launcher: stack\`, or load a module that" \
            "brings $word (modules of the partition in site.reframe_config), or remove the stack" >&2
        exit 1
    fi
}
check_timers() {
    local stack=$1 code words step
    shift
    fill "$host_file" timers "$@"
    (
        export ISOCHRON_LAUNCH=$attempt/timers
        enter "$stack"
        before_launch "$step"
        exec timeout -k "$grace_seconds" "$timers_seconds" "${words[@]}"
    ) < /dev/null > "$attempt/timers.txt" 2> "$attempt/timers.err"
    code=$?
    end_survivors "$attempt/timers"
    [ "$code" = 0 ] || end_steps "$step"
    if [ "$code" = "$refused" ]; then
        grep '^isochron-engine:' "$attempt/timers.err" >&2
        exit 1
    fi
}
check_transport() {
    local stack=$1 name=transport-$1 code words step
    shift
    fill "$host_file" "$name" "$@"
    (
        export ISOCHRON_LAUNCH=$attempt/$name
        enter "$stack"
        before_launch "$step"
        exec timeout -k "$grace_seconds" "$transport_seconds" "${words[@]}"
    ) < /dev/null > "$attempt/$name.out" 2>&1
    code=$?
    end_survivors "$attempt/$name"
    [ "$code" = 0 ] || end_steps "$step"
    truncate -s "<$transport_bytes" "$attempt/$name.out"
    rm -f "$attempt/$name.jsonl"*
}
check_image() {
    local digest
    [ "${#image_check[@]}" = 0 ] && return
    digest=$(ISOCHRON_DIGESTS=$host_file.digests "${image_check[@]}" 2>&1 < /dev/null)
    [ "$digest" = "$image_digest" ] && return
    echo "the image has the digest ${digest##*$'\n'} here, and had $image_digest when the engine was built; start a new" \
        "run with --new" >&2
    return 1
}
check_libraries() {
    local library loads paths
    mapfile -t paths < <("${inside[@]}" ldd "$engine" 2> /dev/null < /dev/null | awk '$2 == "=>" { print $3 }')
    loads=$([ "${#paths[@]}" = 0 ] || "${inside[@]}" readlink -m "${paths[@]}" < /dev/null)
    for library in "${libraries[@]}"; do
        if [ -n "$loads" ] && ! grep -qxF -e "${library#*  }" <<< "$loads"; then
            echo "the engine was built with ${library#*  } and loads here" \
                "$(grep -e "/${library##*/}\$" -e "/libmpi" <<< "$loads" || echo no such library); make that" \
                "library visible on the nodes, and remove the other from the settings of the job" >&2
            return 1
        elif [ "$("${inside[@]}" sha256sum "${library#*  }" 2> /dev/null < /dev/null | tr -d '\\')" != "$library" ]; then
            echo "${library#*  } has on this node another content than when the engine was built; start a new run with" \
                "--new" >&2
            return 1
        fi
    done
}
launch() {
    local name=$1 stack=$2 code words step now
    shift 2
    if [ -e "$attempt/outcome.json" ]; then
        echo "this attempt has been closed: nothing is left to do here" >&2
        exit 1
    fi
    fill "$host_file" "$name" "$@"
    (
        export ISOCHRON_LAUNCH=$attempt/$name
        enter "$stack"
        before_launch "$step"
        if ! echo "$engine_sha256  $engine" | sha256sum --check --status; then
            echo "$engine is not the engine that was built; build the stack again" >&2
            exit "$changed_engine"
        fi
        check_image || exit "$changed_image"
        check_libraries || exit "$changed_library"
        if [ -n "$lacking" ]; then
            echo "$lacking" >&2
            exit "$lacking_host"
        fi
        if [ -n "$short" ]; then
            echo "$short" >&2
            exit "$lacking_memory"
        fi
        now=${EPOCHREALTIME:-$(date +%s.%N)}
        exec timeout -k "$grace_seconds" "$launch_seconds" "${words[@]//'{now}'/${now/,/.}}"
    ) < /dev/null > "$attempt/$name.out" 2> "$attempt/$name.err"
    code=$?
    end_survivors "$attempt/$name"
    [ "$code" = 0 ] || end_steps "$step"
    echo "$code" | keep "$attempt/$name.exit"
    echo "launch $name exit $code"
}
begin_session() {
    local free
    free=$(awk '$1 == "MemAvailable:" { print int($2 / 1024) }' /proc/meminfo)
    if [ "${free:-$1}" -lt "$1" ]; then
        short="the session needs about $1 MiB of memory on each node, and $free MiB are free; plan fewer stacks"
        short+=", processes_per_node or smaller sizes, or use replication.design: random"
    fi
}
join() {
    {
        export "${sharing[@]}"
        launch "$@"
    } &
    joined+=("$1")
}
finish_session() {
    wait
    joined=() short=""
    remove_segments
}
remove_segments() {
    rm -f "$segments"*
}
leave() {
    local name
    for name in "${joined[@]}"; do end_survivors "$attempt/$name"; done
    remove_segments
    rm -f "$host_file" "$host_file.nodes" "$host_file.all" "$host_file.digests"
}
refuse_job() {
    if [ -e "$attempt/started" ]; then
        echo "the scheduler has started this job again${restarts:+ ($restarts: ${!restarts:-none})}, and its launches" \
            "are not repeated: call isochron run again; forbid restarts of jobs in the access of the partition" \
            "(site.reframe_config)" >&2
        exit 1
    fi
    if [ -n "$components" ] && [ "${!components:-1}" -gt 1 ]; then
        echo "a heterogeneous job ($components is ${!components}): a launch cannot use several of its components; ask" \
            "for one kind of nodes in the access of the partition (site.reframe_config)" >&2
        exit 1
    fi
}
refuse_job
date +%s | keep "$attempt/started"
host_file=$(mktemp)
trap leave EXIT
hosts="" lacking="" short="" joined=()
declare -A interfaces=()
unset -v offered
remove_segments
mapfile -t allocation < <(allocated_hosts)
