"""Which format a document has, and how certain that is.

May import ``registry``, ``formats`` and what lies below them.
"""
