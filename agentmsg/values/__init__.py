"""Plain values: what JSON is made of, frozen, copied, parsed and measured; no messages yet.

May import ``errors``, ``lazy``, ``limits`` and ``optional``.
"""
