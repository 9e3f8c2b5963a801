# SPDX-License-Identifier: BSD-3-Clause
"""All runs of a folder of results as one data set: what was worked out of each once. It can always be made again."""
