"""Fit and its loss report: the nearest history that a format supports, what was lost, and the way back.

May import ``registry``, ``formats`` and what lies below them. Nothing else makes a loss.
"""
