#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Builds SimGrid 4.1 from the source distribution of the package index into the user's cache, where simulated stacks find
# it and prefer it to an installed one. Nothing is done without this call. It takes about ten minutes on one free core, and
# 0.5 GB until it is done; a call that was interrupted goes on where it stopped.
#
# usage: install-simgrid.sh [JOBS]     JOBS: compilers at a time (1)
#
# PYTHON names the interpreter whose pip downloads it (python3).
set -eu

version=4.1
sha256=23ac24cb5b2467f1f051c992ec921b4a9f8f5ac2df16c489bd01bf1c44e6e817
python=${PYTHON:-python3}
jobs=${1:-1}
case "$jobs" in "" | 0* | *[!0-9]*) echo "usage: $0 [JOBS]: JOBS is a number from 1" >&2; exit 2 ;; esac

missing=0
lacks() {
    echo "$1: is missing; install it (Debian: $2)" >&2
    missing=1
}
command -v cmake >/dev/null || lacks cmake "apt-get install cmake"
command -v make >/dev/null || lacks make "apt-get install make"
command -v cc >/dev/null || lacks "cc, a C compiler" "apt-get install gcc libc6-dev"
if command -v c++ >/dev/null; then
    echo '#include <boost/intrusive/list.hpp>' | c++ -E -x c++ - >/dev/null 2>&1 ||
        lacks "boost, the headers" "apt-get install libboost-dev"
else
    lacks "c++, a C++ compiler" "apt-get install g++"
fi
"$python" -m pip --version >/dev/null 2>&1 || lacks "pip of $python" "apt-get install python3-pip, or set PYTHON"
[ "$missing" = 0 ] || exit 1

case "${XDG_CACHE_HOME-}" in /*) cache=$XDG_CACHE_HOME ;; *) cache=${HOME:?set HOME or XDG_CACHE_HOME}/.cache ;; esac
prefix=$cache/isochron/simgrid/$version
work=$prefix.build
archive=simgrid-$version.tar.gz
if [ -e "$prefix/complete" ]; then echo "$prefix: is complete"; exit 0; fi
umask 022
mkdir -p "$work"
exec 9>"$work/lock"
if command -v flock >/dev/null && ! flock -n 9; then echo "$work: another call is building here" >&2; exit 1; fi
cd "$work"

is_sound() { [ -e "$archive" ] && [ "$("$python" -m pip hash "$archive" | tail -1)" = "--hash=sha256:$sha256" ]; }
if ! is_sound; then
    rm -rf "$archive" source
    echo "simgrid==$version --hash=sha256:$sha256" >requirement
    "$python" -m pip download --quiet --no-deps --no-binary simgrid --require-hashes -r requirement -d .
    is_sound || { echo "$work/$archive: is not the pinned file; remove it and call again" >&2; exit 1; }
fi
if [ ! -e source/unpacked ]; then
    rm -rf source build && mkdir source
    tar xzf "$archive" -C source --strip-components=1 && : >source/unpacked
fi
# Without what isochron does not use, and without debug information, which takes half of the time.
[ -e build/Makefile ] || cmake -S source -B build -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_C_FLAGS_RELEASE="-O2 -g0 -DNDEBUG" -DCMAKE_CXX_FLAGS_RELEASE="-O2 -g0 -DNDEBUG" \
    -DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_INSTALL_LIBDIR=lib -Denable_smpi=ON -Denable_python=OFF \
    -Denable_java=OFF -Denable_documentation=OFF -Denable_model-checking=OFF -Denable_lto=OFF -Denable_fortran=OFF \
    -Denable_sthread=OFF
make -C build -j"$jobs" install
"$prefix/bin/smpirun" --version
cd "$cache" && : >"$prefix/complete" && rm -rf "$work"
echo "$prefix: is complete; simulated stacks now use it"
