# SPDX-License-Identifier: BSD-3-Clause
"""Tables of what rows rest on, and of what spoils them."""
