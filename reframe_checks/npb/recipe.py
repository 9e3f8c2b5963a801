# SPDX-License-Identifier: BSD-3-Clause
"""The lines of bash that build NPB in a copy of its source tree, with the compilers of a stack.

A stack without a Fortran wrapper (the wheels of Open MPI and MPICH) gets the small Fortran interface of the kit, and
gfortran.
"""

import shlex
from pathlib import Path

from isochron.common.files import read_lines
from isochron.schemas.run.manifest import Toolchain
from isochron.schemas.run.npb import BuildOrder, ProgramToBuild
from isochron.spack_envs.toolchain import shell_lines

#: Names of Fortran wrappers beside `mpicc`, and beside a wrapper that is `cc`.
WRAPPERS = {"mpicc": ("mpifort", "mpif90"), "cc": ("ftn",)}

#: Output files of a build, below its folder.
LAUNCH_CHECK, FACTS, KIT = "launch-check.so", "facts.txt", "isochron-kit"

#: Options of gfortran from version 10 on: for routines that are called with arguments of several types, as in MPI, and
#: for hexadecimal constants as NPB up to 3.4 writes them.
TOLERATED = "-fallow-argument-mismatch -fallow-invalid-boz"

#: Variables of an outer make.
OUTER_MAKE = "MAKEFLAGS MAKELEVEL MFLAGS"


def fortran_wrapper(cc: str) -> str | None:
    """Return the Fortran wrapper beside a C wrapper; None if the stack has none."""
    path = Path(cc)
    wrappers = (path.with_name(name) for name in WRAPPERS.get(path.name, WRAPPERS["mpicc"]))
    return next((str(wrapper) for wrapper in wrappers if wrapper.is_file()), None)


def made_for_one_count(source: Path) -> bool:
    """Return True if a program is compiled for one number of processes, as up to NPB 3.3."""
    return any("NPROCS" in line for line in read_lines(source / "sys" / "make.common"))


def is_source(folder: Path) -> bool:
    """Return True if a folder is an NPB source tree with MPI."""
    return (folder / "sys" / "make.common").is_file() and (folder / "Makefile").is_file()


def program_file(program: ProgramToBuild) -> str:
    """Return the name of the executable in NPB."""
    ending = program.processes or "x"
    return f"{program.program.kernel.lower()}.{program.program.problem}.{ending}"


def lines(order: BuildOrder, toolchain: Toolchain) -> list[str]:
    """Return the commands of the build in a copy of the source tree; they write bin/, launch check and properties.

    For installed programs only the launch check is built.
    """
    wrapper, kit = fortran_wrapper(toolchain.cc), Path(order.kit)
    cc = shlex.quote(toolchain.cc)
    commands = [
        *shell_lines(toolchain.environment),
        f"unset {OUTER_MAKE}",
        "set -e",
        f"mkdir -p bin config {KIT}",
        f"{cc} -std=c11 -D_GNU_SOURCE -O2 -fPIC -shared -o {LAUNCH_CHECK} {shlex.quote(order.witness)} -ldl",
    ]
    if order.installed:
        return [*commands, f"echo fortran= > {FACTS}", f"echo flags= >> {FACTS}"]
    if wrapper is None:
        commands += [
            "fc=gfortran",
            f"cp {shlex.quote(str(kit / 'mpif.h'))} {KIT}/",
            f"{cc} -std=c11 -O2 -c -o {KIT}/mpi_fortran.o {shlex.quote(str(kit / 'mpi_fortran.c'))}",
        ]
    else:
        commands += [f"fc={shlex.quote(wrapper)}"]
    commands += [
        f"flags={shlex.quote(order.flags)}",
        f"printf '      end\\n' > {KIT}/try.f90",
        f'if "$fc" {TOLERATED} -c -o {KIT}/try.o {KIT}/try.f90 2> {KIT}/try.err && [ ! -s {KIT}/try.err ]; then',
        f'    fortran_flags="$flags {TOLERATED}"',
        'else fortran_flags="$flags"; fi',
        *_configuration(cc, own_interface=wrapper is None),
        f'{{ echo "fortran=$("$fc" --version 2> /dev/null | head -1)"; echo "flags=$fortran_flags"; }} > {FACTS}',
    ]
    for program in order.wanted:
        count = f" NPROCS={program.processes}" if program.processes else ""
        commands += [
            f"make {program.program.kernel.lower()} CLASS={program.program.problem}{count}",
            f"test -x bin/{program_file(program)}",
        ]
    return commands


def _configuration(cc: str, *, own_interface: bool) -> list[str]:
    """Return config/make.def. With Isochron's Fortran interface the C wrapper links, with the libraries of Fortran."""
    here = f'"$PWD/{KIT}'
    link, library, include = ("$fc", "", "")
    if own_interface:
        link, library, include = cc, f'{here}/mpi_fortran.o" -lgfortran -lm', f'-I{here}"'
    values = {
        "MPIFC": "$fc",
        "MPIF77": "$fc",
        "FLINK": link,
        "FMPI_LIB": library,
        "FMPI_INC": include,
        "FFLAGS": "$fortran_flags",
        "FLINKFLAGS": "$flags",
        "MPICC": cc,
        "CLINK": cc,
        "CMPI_LIB": "-lm",
        "CMPI_INC": "",
        "CFLAGS": "$flags",
        "CLINKFLAGS": "$flags",
        "CC": "cc",
        "BINDIR": "../bin",
        "RAND": "randi8",
    }
    text = "\n".join(f"{name} = {value}".rstrip().replace('"', "") for name, value in values.items())
    return ["cat > config/make.def <<END_OF_MAKE_DEF", *text.splitlines(), "END_OF_MAKE_DEF"]
