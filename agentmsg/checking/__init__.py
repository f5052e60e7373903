"""Which format a document has, and how certain that is; and what a provider would refuse in it.

May import ``registry``, ``formats`` and what lies below them.
"""
