"""What a document is: which format it has, and whether that is certain.

May import ``registry``, ``formats`` and what lies below them.
"""
