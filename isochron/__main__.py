# SPDX-License-Identifier: BSD-3-Clause
"""`python -m isochron`: the command line."""

import sys

from isochron.workflows.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
