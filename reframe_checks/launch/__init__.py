# SPDX-License-Identifier: BSD-3-Clause
"""A block as a job script: command lines, launchers, hosts, and which launches are accepted."""
