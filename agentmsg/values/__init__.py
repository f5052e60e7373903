"""Plain JSON values: freeze, copy, parse and measure them; no messages yet.

May import ``errors``, ``lazy``, ``limits`` and ``optional``.
"""
