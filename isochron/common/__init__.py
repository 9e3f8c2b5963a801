# SPDX-License-Identifier: BSD-3-Clause
"""Files, processes, locks and text: what every other package uses. It imports nothing of the project."""
