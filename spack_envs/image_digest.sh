#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# image_digest.sh IMAGE prints the SHA-256 of an image: of the file, or of the names, modes, links and contents of all
# files below a folder, whoever owns them, and whenever they were written. Fails if it cannot read all of it.
set -o pipefail
if [ -d "$1" ]; then
    tar --create --file=- --directory="$1" --sort=name --hard-dereference --format=gnu --mtime=@0 --numeric-owner \
        --owner=0 --group=0 . | sha256sum
else
    sha256sum "$1"
fi | awk '{ sub(/^\\/, ""); print "sha256:" $1 }'
