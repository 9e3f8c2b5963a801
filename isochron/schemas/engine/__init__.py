# SPDX-License-Identifier: BSD-3-Clause
"""The engine's options and operations, as the engine describes them."""
