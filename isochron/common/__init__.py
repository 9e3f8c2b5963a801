# SPDX-License-Identifier: BSD-3-Clause
"""The ground floor: what every room stands on. It imports nothing of the project."""
