#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# image_digest.sh IMAGE prints the SHA-256 of an image: of the file, or of the names, modes, links and contents of all
# files below a folder, whoever owns them, and whenever they were written. Fails if it cannot read all of it.
# ISOCHRON_DIGESTS is a file in which digests are remembered: an image is not read again as long as all its files have the
# inodes, modes, sizes and times of change that they had before it was read.
set -o pipefail
digest() {
    if [ -d "$1" ]; then
        tar --create --file=- --directory="$1" --sort=name --hard-dereference --format=gnu --mtime=@0 --numeric-owner \
            --owner=0 --group=0 . | sha256sum
    else
        sha256sum "$1"
    fi | awk '{ sub(/^\\/, ""); print "sha256:" $1 }'
}
[ -n "${ISOCHRON_DIGESTS-}" ] || { digest "$1"; exit; }
stamp=$(find -H "$1" -printf '%p %i %m %s %T@ %C@ %l\n' 2> /dev/null | LC_ALL=C sort | sha256sum | tr -cd '[:xdigit:]')
found=$(awk -v stamp="$stamp" '$1 == stamp { print $2; exit }' "$ISOCHRON_DIGESTS" 2> /dev/null)
if [ -z "$found" ]; then
    found=$(digest "$1") || exit
    { echo "$stamp $found" >> "$ISOCHRON_DIGESTS"; } 2> /dev/null
fi
echo "$found"
