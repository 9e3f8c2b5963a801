#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# node_facts.sh launch [NAME=VARIABLE]…: one line of JSON about the launch that is about to start, as the job's shell sees
# it. node_facts.sh node [NAME=VARIABLE]…: one line of JSON about the machine on which this runs.
#
# NAME=VARIABLE: a further member, the value of a variable of the scheduler; the first of a name that is set.
# Needs bash, awk, sort and the kernel's files; what cannot be read is left out. It runs before the launch, never in it.
# ISOCHRON_FACTS_ROOT: a folder that stands for / (tests).

export LC_ALL=C
facts=
root=${ISOCHRON_FACTS_ROOT-}
sys=$root/sys proc=$root/proc

# fact NAME VALUE: one member of the JSON object.
fact() {
    local value=${2//\\/\\\\}
    value=${value//\"/\\\"}
    value=${value//[[:cntrl:]]/ }
    [ -z "$value" ] || facts+=", \"$1\": \"$value\""
}

# of_scheduler NAME=VARIABLE…: members from variables.
of_scheduler() {
    local pair variable named=
    for pair in "$@"; do
        variable=${pair#*=}
        case $named in *" ${pair%%=*} "*) continue ;; esac
        [ -z "${!variable-}" ] || named+=" ${pair%%=*} "
        fact "${pair%%=*}" "${!variable-}"
    done
}

# fact_file NAME FILE: the same from the first line of a file.
fact_file() {
    local line=
    { read -r line < "$2"; } 2> /dev/null
    [ -z "$line" ] || fact "$1" "$line"
}

# fact_choice NAME FILE: of `always [madvise] never` the one in brackets.
fact_choice() {
    local line=
    { read -r line < "$2"; } 2> /dev/null
    line=${line#*[}
    [ -z "$line" ] || fact "$1" "${line%%]*}"
}

processor() {
    local key value models=
    while IFS=: read -r key value; do
        case ${key%%[[:space:]]} in
        "model name"*) [ -n "$models" ] || models=${value# } ;;
        microcode*) fact microcode "${value# }"; break ;;
        esac
    done < "$proc/cpuinfo"
    fact cpu_model "$models"
    fact_file cpus_online "$sys/devices/system/cpu/online"
    fact_file smt "$sys/devices/system/cpu/smt/control"
    fact_file numa_nodes "$sys/devices/system/node/online"
    topology
    fact_file frequency_driver "$sys/devices/system/cpu/cpu0/cpufreq/scaling_driver"
    fact_file governor "$sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"
    fact_file max_frequency_khz "$sys/devices/system/cpu/cpu0/cpufreq/scaling_max_freq"
    fact_file turbo_off "$sys/devices/system/cpu/intel_pstate/no_turbo"
    fact_file boost "$sys/devices/system/cpu/cpufreq/boost"
}

# What the processors are: threads of the same cores (smt_threads: the first threads of all cores that have several, then
# their second ones, …), those of each socket and NUMA domain, and those that the cgroups leave to the job.
topology() {
    local cpu=$sys/devices/system/cpu
    fact smt_threads "$(sort -un -t, "$cpu"/cpu[0-9]*/topology/thread_siblings_list 2> /dev/null | awk '
        function finish(i) {
            if (!(i in first)) return
            lists[i] = lists[i] (lists[i] == "" ? "" : ",") first[i] (last[i] > first[i] ? "-" last[i] : "")
        }
        {
            count = 0
            parts = split($0, part, ",")
            for (p = 1; p <= parts; p++) {
                ends = split(part[p], bounds, "-")
                for (c = bounds[1] + 0; c <= bounds[ends] + 0; c++) own[++count] = c
            }
            if (count < 2) next
            if (count > most) most = count
            for (i = 1; i <= count; i++)
                if (i in first && own[i] == last[i] + 1) last[i] = own[i]
                else { finish(i); first[i] = last[i] = own[i] }
        }
        END { for (i = 1; i <= most; i++) { finish(i); printf "%s%s", (i > 1 ? " " : ""), lists[i] } }')"
    fact socket_cpus "$(sort -un -t, "$cpu"/cpu[0-9]*/topology/core_siblings_list 2> /dev/null | paste -sd' ')"
    fact numa_cpus "$(cat "$sys"/devices/system/node/node[0-9]*/cpulist 2> /dev/null | paste -sd' ')"
    fact job_cpus "$(job_cpus)"
}

# job_cpus: the processors of the cgroup of this process, or of the nearest one above it that has a list (v2, v1).
job_cpus() {
    local line folder file
    while IFS= read -r line; do
        case $line in
        0::*) folder=/${line#0::} file=cpuset.cpus.effective ;;
        *:cpuset:*) folder=/cpuset${line#*:cpuset:} file=cpuset.effective_cpus ;;
        *) continue ;;
        esac
        while [ ! -s "$sys/fs/cgroup$folder/$file" ] && [ -n "$folder" ]; do folder=${folder%/*}; done
        cat "$sys/fs/cgroup$folder/$file" && return
    done 2> /dev/null < "$proc/self/cgroup"
}

# device NAME FOLDER: driver, firmware, rate, state and NUMA domain of a network device, as far as they can be read.
device() {
    local driver domain=
    driver=$(readlink "$2/device/driver") && fact "$1.driver" "${driver##*/}"
    fact_file "$1.driver_version" "$2/device/driver/module/version"
    fact_file "$1.firmware" "$2/fw_ver"
    fact_file "$1.board" "$2/board_id"
    fact_file "$1.type" "$2/hca_type"
    fact_file "$1.rate" "$2/ports/1/rate"
    fact_file "$1.state" "$2/ports/1/state"
    fact_file "$1.mbit_per_s" "$2/speed"
    fact_file "$1.mtu" "$2/mtu"
    { read -r domain < "$2/device/numa_node"; } 2> /dev/null
    [ "$domain" = -1 ] || fact "$1.numa_domain" "$domain" # -1: near none in particular
}

fabric() {
    local folder
    for folder in "$sys"/class/infiniband/* "$sys"/class/cxi/* "$sys"/class/hfi1/*; do
        [ ! -e "$folder" ] || device "fabric.${folder##*/}" "$folder"
    done
    for folder in "$sys"/class/net/*; do
        [ ! -e "$folder/device" ] || device "net.${folder##*/}" "$folder"
    done
}

node() {
    local key load
    fact_file host "$proc/sys/kernel/hostname"
    fact_file kernel "$proc/sys/kernel/osrelease"
    fact_file kernel_build "$proc/sys/kernel/version"
    fact_file boot "$proc/sys/kernel/random/boot_id"
    processor
    fact_file clock_source "$sys/devices/system/clocksource/clocksource0/current_clocksource"
    fact_file numa_balancing "$proc/sys/kernel/numa_balancing"
    fact_choice transparent_huge_pages "$sys/kernel/mm/transparent_hugepage/enabled"
    while read -r key load _; do
        [ "$key" != MemTotal: ] || fact memory_kib "$load"
    done < "$proc/meminfo"
    fabric
    of_scheduler "$@"
    { read -r load _ < "$proc/loadavg"; } 2> /dev/null
    fact load_average "$load"
}

# Variables that steer MPI and its transports. Only the names that are known to say something about a measurement are
# kept: numbers, switches, names of algorithms, devices and libraries. All else stays on the node, since it may be a
# secret: a variable with one of these prefixes counts as changed (its name) without its value being kept.
environment() {
    local name value
    for name in $(compgen -e); do
        case $name in
        OMP_NUM_THREADS | OMP_PROC_BIND | OMP_PLACES | OMP_SCHEDULE | KMP_AFFINITY | KMP_BLOCKTIME | GOMP_CPU_AFFINITY | \
            LD_LIBRARY_PATH | LD_PRELOAD | MALLOC_* | CUDA_VISIBLE_DEVICES | \
            OMPI_MCA_btl* | OMPI_MCA_pml* | OMPI_MCA_coll* | OMPI_MCA_mtl* | OMPI_MCA_osc* | OMPI_MCA_mpi_* | \
            OMPI_MCA_rmaps* | OMPI_MCA_hwloc* | OMPI_MCA_opal* | OMPI_COMM_WORLD_* | PRTE_MCA_hwloc* | PRTE_MCA_rmaps* | \
            UCX_TLS | UCX_NET_DEVICES | UCX_*_THRESH | UCX_*_SIZE | UCX_*_COUNT | UCX_PROTO* | UCX_RNDV* | \
            UCC_TLS | UCC_*_TUNE | FI_PROVIDER | FI_*_SIZE | FI_*_THRESH* | FI_CXI_* | FI_PSM* | FI_OFI_RXM_* | \
            I_MPI_ADJUST_* | I_MPI_FABRICS | I_MPI_PIN* | I_MPI_SHM* | I_MPI_OFI_* | I_MPI_ROOT | I_MPI_TUNING* | \
            MPICH_*_ALGORITHM | MPICH_OFI_* | MPICH_RANK_REORDER_METHOD | MPICH_ASYNC_PROGRESS | MPIR_CVAR_* | \
            MV2_USE_* | MV2_*_SIZE | MV2_*_THRESHOLD | MV2_*_COUNT | MV2_CPU_* | MVP_USE_* | MVP_*_SIZE | \
            PSM2_* | PSM3_* | HFI_* | MLX5_* | HCOLL_ENABLE* | HCOLL_MAIN_IB | SHARP_COLL_ENABLE* | NCCL_ALGO | NCCL_PROTO)
            value=${!name} ;;
        OMPI_* | OPAL_* | ORTE_* | PMIX_MCA_* | PRTE_* | UCX_* | UCC_* | FI_* | I_MPI_* | MPICH_* | MPIR_* | HYDRA_* | \
            MV2_* | MVP_* | RDMAV_* | IBV_* | MLX* | CXI_* | HCOLL_* | SHARP_* | NCCL_*)
            value="(set; its value is not kept)" ;;
        *) continue ;;
        esac
        case ${name^^} in
        *TOKEN* | *SECRET* | *PASS* | *KEY* | *COOKIE* | *CREDENTIAL* | *AUTH* | *JWT* | *CERT*) continue ;;
        esac
        case $value in # an address may carry a user and a password
        *://*@*) value="(an address with a user; it is not kept)" ;;
        esac
        fact "environment.$name" "$value"
    done
}

launch() {
    fact_file host "$proc/sys/kernel/hostname"
    fact time "$(date -u +%Y-%m-%dT%H:%M:%S.%NZ)"
    of_scheduler "$@"
    fact node_list "$ISOCHRON_NODE_LIST"
    environment
}

case $1 in
launch | node) "$@" ;;
*) echo "usage: node_facts.sh launch|node [NAME=VARIABLE]…" >&2; exit 2 ;;
esac
printf '{"record": "%s"%s}\n' "$1" "$facts"
