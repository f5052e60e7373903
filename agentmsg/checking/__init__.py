"""What a document is: which format it has, and whether that is certain; and what a provider would refuse of it.

May import ``registry``, ``formats`` and what lies below them.
"""
