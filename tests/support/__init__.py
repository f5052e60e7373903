"""Shared by several tests: example histories, toy codecs, documents to damage."""
