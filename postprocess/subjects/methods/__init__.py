# SPDX-License-Identifier: BSD-3-Clause
"""How the numbers were made, and the files of the run."""
