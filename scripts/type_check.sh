#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# mypy (strict) over the package as it is installed. mypy cannot read the mapping of folders in pyproject.toml, so this
# makes a tree of links in build/types, which `mypy_path` names.
set -e
cd "$(dirname "$0")/.."
tree=build/types/isochron
rm -rf "$tree"
mkdir -p "$tree"
for entry in isochron/*; do
  ln -s "$PWD/$entry" "$tree/"
done
sed -n 's/^"isochron\.\(.*\)" = "\(.*\)"$/\1 \2/p' pyproject.toml | while read -r package folder; do
  ln -s "$PWD/$folder" "$tree/$package"
done
exec "${MYPY:-.venv/bin/mypy}" "$@"
