#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# image_probe.sh FOLDER runs inside an image: compiles FOLDER/probe.c with its mpicc, and writes into FOLDER what
# MPI_Get_library_version reports (version), and the compiler with the libraries that the program loads (found).
# Exit codes: 71 no mpicc, 72 mpicc does not compile (errors), 73 the program does not run (errors).
folder=$1
cc=$(command -v mpicc) || exit 71
"$cc" -o "$folder/probe" "$folder/probe.c" 2> "$folder/errors" || exit 72
"$folder/probe" > "$folder/version" 2> "$folder/errors" || exit 73
echo "cc $cc" > "$folder/found"
[ -x "${cc%/*}/mpiexec" ] && echo "mpiexec ${cc%/*}/mpiexec" >> "$folder/found"
ldd "$folder/probe" | while read -r name _ path _; do
    case $path in /*) echo "library $name $(readlink -f "$path")" >> "$folder/found" ;; esac
done
exit 0
