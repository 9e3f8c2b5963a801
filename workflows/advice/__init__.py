# SPDX-License-Identifier: BSD-3-Clause
"""From the reasons of losses to the settings that a site should set: tried together in fresh blocks, and written."""
