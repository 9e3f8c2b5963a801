#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Installs the Debian packages that a part of Isochron needs, and says which and what for.
# As root or with passwordless sudo it installs them; without those rights, or with ISOCHRON_INSTALL=no,
# it prints the command and goes on, and the tests that need the packages are skipped with a visible reason.
#
# usage: install-system-packages.sh test|full|simulation
set -eu

case "${1-}" in
test | full)
    packages="gcc make libc6-dev libsimgrid-dev cppcheck clang-tidy valgrind strace procps iproute2 munge"
    packages="$packages slurm-wlm slurmctld slurmd slurm-client slurm-wlm-basic-plugins libpmix-dev"
    packages="$packages lmod tcl" # tcl: for Environment Modules, see unpack_modules
    # any browser of this family does, and not every distribution has this package
    { command -v chromium || command -v chromium-browser || command -v google-chrome; } >/dev/null ||
        packages="$packages chromium"
    [ "$1" = test ] || packages="$packages postgresql prometheus-pushgateway victoria-metrics"
    ;;
simulation) packages="gcc make libc6-dev libsimgrid-dev" ;;
*) echo "usage: $0 test|full|simulation" >&2; exit 2 ;;
esac

why() {
    case "$1" in
    gcc | make | libc6-dev) echo "build the engine" ;;
    cppcheck | clang-tidy) echo "look for mistakes in the engine's sources" ;;
    valgrind) echo "run the engine's unit tests with memory checks" ;;
    chromium) echo "look at the report as its readers do: on a phone, in the dark, with axe" ;;
    lmod | tcl) echo "load libraries from environment modules, as sites do" ;;
    postgresql | prometheus-pushgateway | victoria-metrics) echo "receive what \`isochron push\` sends" ;;
    strace) echo "see that no system call lies within a slot" ;;
    slurm* | munge | libpmix-dev | iproute2 | procps) echo "run a virtual Slurm cluster" ;;
    libsimgrid-dev) echo "run the engine on a simulated machine (smpicc, smpirun)" ;;
    esac
}

# The packages of Lmod and Environment Modules exclude each other: the second is unpacked where only tests look.
unpack_modules() {
    folder=/usr/local/lib/environment-modules
    [ "$1" = simulation ] || [ -d "$folder" ] || [ "${ISOCHRON_INSTALL-}" = no ] && return
    [ "$(id -u)" = 0 ] && command -v dpkg-query >/dev/null || return 0
    download=$(mktemp -d)
    (cd "$download" && apt-get download -qq environment-modules >/dev/null 2>&1 && dpkg -x ./*.deb "$folder") ||
        echo "environment-modules could not be had; its tests are done with an imitation"
    rm -r "$download"
}

command -v dpkg-query >/dev/null || { echo "not a Debian system: install the equivalents of: $packages"; exit 0; }

missing=""
for package in $packages; do
    status=$(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$status" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || { unpack_modules "$1"; exit 0; }

echo "system packages that are missing:"
for package in $missing; do echo "  $package: to $(why "$package")"; done

if [ "${ISOCHRON_INSTALL-}" = no ]; then
    echo "ISOCHRON_INSTALL=no: nothing is installed; the command is: apt-get install --no-install-recommends$missing"
    exit 0
fi
if [ "$(id -u)" = 0 ]; then sudo=""; echo "installing them as root (ISOCHRON_INSTALL=no prevents this)"
elif sudo -n true 2>/dev/null; then sudo="sudo"; echo "installing them with sudo (ISOCHRON_INSTALL=no prevents this)"
else
    echo "no root rights here; run: sudo apt-get install --no-install-recommends$missing"
    exit 0
fi
export DEBIAN_FRONTEND=noninteractive
# shellcheck disable=SC2086
$sudo apt-get update -qq && $sudo apt-get install -y -qq --no-install-recommends $missing >/dev/null ||
    echo "installing failed; the tests that need$missing will be skipped"
unpack_modules "$1"
