#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# usage: switch.sh DIR [DELAY_US RATE_MBIT]
#
# The first process of the virtual cluster: two bridges, the hosts on them, Slurm on the hosts. It runs in
# namespaces of its own and ends with its standard input; then the kernel ends every process of every host and
# takes the network away, whatever happened to the program that held the other end.
# With a delay and a rate the bridges are joined by a wide-area link (link.c, compiled as DIR/link).
set -eu
dir=$1 delay=${2-} rate=${3-}
here=$(dirname "$(readlink -f "$0")")
hosts="login:bridge_a a1:bridge_a a2:bridge_a b1:bridge_b b2:bridge_b"
cd "$dir"
mkdir -p log run state spool tmp/a1 tmp/a2 tmp/b1 tmp/b2

address() { # line of a host in the file of hosts
    awk -v host="$1" '$2 == host { print $1 }' hosts
}

join_bridges() {
    local bridge
    for bridge in bridge_a bridge_b; do
        ip link add "$bridge" type bridge forward_delay 0 mcast_snooping 0
        ip link set "$bridge" up
    done
    if [ -z "$delay" ]; then
        ip link add wire_a type veth peer name wire_b
    else
        ./link "$delay" "$rate" wire_a wire_b > log/link.log 2>&1 &
        until grep -q ready log/link.log; do sleep 0.01; done
    fi
    ip link set wire_a master bridge_a txqueuelen 5000 up
    ip link set wire_b master bridge_b txqueuelen 5000 up
}

# Networks, process identifiers, shared memory and host name of its own: an MPI library must not find the
# shared memory of another host.
start_host() { # HOST BRIDGE
    unshare --net --uts --mount --ipc --pid --fork --kill-child --mount-proc bash -c '
        hostname "$1"
        mount -t tmpfs tmpfs /dev/shm
        mount --bind hosts /etc/hosts
        mount -t tmpfs tmpfs /etc/slurm
        cp slurm.conf /etc/slurm/
        touch "run/$1.up"
        sleep infinity &
        while :; do wait; done' _ "$1" &
    local outer=$! first
    until [ -e "run/$1.up" ]; do sleep 0.01; done
    first=$(tr -d ' ' < "/proc/$outer/task/$outer/children")
    echo "$first" > "run/$1.pid"
    ip link add "wire_$1" type veth peer name eth0 netns "$first"
    ip link set "wire_$1" master "$2" up
    nsenter -t "$first" -n sh -c "ip link set lo up; ip addr add $(address "$1")/24 dev eth0; ip link set eth0 up"
}

on() { # HOST COMMAND...
    local host=$1
    shift
    nsenter -t "$(cat "run/$host.pid")" -a "$@"
}

ip link set lo up
hostname switch
sed "s|@DIR@|$dir|" "$here/slurm.conf" > slurm.conf
{
    echo "127.0.0.1 localhost"
    number=1
    for host in $hosts; do echo "10.66.0.$number ${host%:*}"; number=$((number + 1)); done
} > hosts
join_bridges
for host in $hosts; do start_host "${host%:*}" "${host#*:}"; done
on login slurmctld -c
for host in a1 a2 b1 b2; do on "$host" slurmd -N "$host"; done
touch run/up
read -r _ || true
