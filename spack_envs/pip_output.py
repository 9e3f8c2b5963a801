# SPDX-License-Identifier: BSD-3-Clause
"""The output of pip: which wheel it downloads, and which address it could not reach."""

import re

#: pip begins with a wheel: `Collecting mpich==5.0.2 (from -r …)`.
COLLECTING = re.compile(r"^Collecting (\S+?)==(\S+)", re.MULTILINE)

#: pip downloads it: `  Downloading mpich-5.0.2-py3-none-manylinux.whl (7.4 MB)`.
DOWNLOADING = re.compile(r"^ +Downloading \S+ \((.+)\)", re.MULTILINE)

#: How pip says that it could not reach an address: whole, as host and path, or only the path on the index.
ADDRESSES = (
    re.compile(r"(?:Could not fetch URL|HTTP error \d+ while getting) (?P<whole>\S+?)(?:#\S*)?:?(?:\s|$)"),
    re.compile(r"host='(?P<host>[^']+)', port=(?P<port>\d+).*with url: (?P<path>/\S*)"),
    re.compile(r"connection broken by .*: (?P<of_index>/\S+)$", re.MULTILINE),
)
#: Its index, if it is not the usual one.
INDEX = re.compile(r"^Looking in indexes: (\w+://[^/\s,]+)", re.MULTILINE)

#: Why: the system's words, or those of HTTP, or else the kind of exception.
CAUSES = (
    re.compile(r"\[Errno -?\d+\] ([^'\"\n]+)"),
    re.compile(r"HTTP (error \d+)"),
    re.compile(r"connection broken by '?(\w+)"),
)


def step(output: str, wheels: int) -> tuple[str, str]:
    """Return what pip does according to its output so far, and the details; it has `wheels` to install."""
    collected = list(COLLECTING.finditer(output))
    if not collected:
        asked = "--require-hashes" in output  # the command that installs the wheels
        return "asking the package index for the wheels of" if asked else "making a virtual environment for", ""
    if "\nInstalling collected packages" in output:
        return "installing", ""
    last = collected[-1]
    downloading = DOWNLOADING.search(output, last.end())
    size = f", {downloading[1]}" if downloading else ""
    return "downloading", f"wheel {len(collected)} of {wheels}: {last[1]} {last[2]}{size}"


def unreachable(output: str) -> str:
    """Return `https://… cannot be fetched (cause)` with the address as pip names it; empty if it reached all."""
    cause = next((f" ({match[1]})" for match in (kind.search(output) for kind in CAUSES) if match), "")
    for address in ADDRESSES:
        match = address.search(output)
        if match:
            parts, index = match.groupdict(), INDEX.search(output)
            if "of_index" in parts:
                place = f"{index[1]}{parts['of_index']}" if index else f"{parts['of_index']} of the package index"
            elif "host" in parts:
                port = "" if parts["port"] == "443" else f":{parts['port']}"
                place = f"https://{parts['host']}{port}{parts['path']}"
            else:
                place = parts["whole"]
            return f"{place} cannot be fetched{cause}"
    return ""


def last_error(output: str) -> str:
    """Return the address that pip could not reach, then its last error; without one, its last line."""
    lines = [line.strip() for line in output.splitlines() if line.strip()] or ["no output"]
    errors = [line for line in lines if line.lower().startswith("error")]
    address = unreachable(output)
    return f"{address}: {(errors or lines)[-1]}" if address else (errors or lines)[-1]
