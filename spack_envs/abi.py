# SPDX-License-Identifier: BSD-3-Clause
"""The ABI of MPI 5 (MPI Forum, 2025): a stack whose engine is the same program as that of every other library."""

from pathlib import Path

from isochron.common.files import FileError
from isochron.schemas.run.manifest import Abi, Toolchain

#: The header of the ABI, and the name by which every library with it is loaded, as the standard has them.
HEADER, LIBRARY = "mpi_abi.h", "libmpi_abi.so.1"


def with_abi(toolchain: Toolchain) -> Toolchain:
    """Return the same stack, with the engine built for the ABI. Raises FileError if it has none, or cannot have it.

    The program has no path of a library: the loader finds the library by `LD_LIBRARY_PATH`.
    """
    stack, prefix = toolchain.declaration.stack, Path(toolchain.prefix)
    if toolchain.container is not None or toolchain.stack_source in ("spack", "simulated", "site"):
        raise FileError(no_abi(stack))
    header = _first(prefix, ("include", "include/standard_abi"), HEADER)
    library = _first(prefix, ("lib", "lib64", "lib/standard_abi"), LIBRARY)
    if header is None or library is None:
        missing = " and ".join(name for name, path in ((HEADER, header), (LIBRARY, library)) if path is None)
        raise FileError(
            f"stack {stack}: abi: {toolchain.declaration.mpi_library} in {prefix} has no {missing}; name a library "
            "with the ABI of MPI 5, as MPICH from 5.0 on, or remove `abi`"
        )
    prepend = dict(toolchain.environment.prepend)
    folders = prepend.get("LD_LIBRARY_PATH", [])
    prepend["LD_LIBRARY_PATH"] = [str(library.parent), *(one for one in folders if one != str(library.parent))]
    return toolchain.model_copy(
        update={
            "abi": Abi(include=str(header.parent), library=str(library)),
            "declaration": toolchain.declaration.model_copy(update={"library_file": LIBRARY.partition(".")[0] + ".so"}),
            "environment": toolchain.environment.model_copy(update={"prepend": prepend}),
        }
    )


def no_abi(stack: str) -> str:
    """Return the message for a stack of a source whose engines are not built so."""
    return f"stack {stack}: abi: only wheels, installed libraries and modules of this machine can have it; remove `abi`"


def _first(prefix: Path, folders: tuple[str, ...], name: str) -> Path | None:
    return next((path for path in (prefix / folder / name for folder in folders) if path.is_file()), None)
