"""Fit and its account: the nearest history that a format carries, what that cost, and the way back.

May import ``registry``, ``formats`` and what lies below them. Nothing else makes a loss.
"""
