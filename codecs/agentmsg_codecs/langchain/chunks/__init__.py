"""Chunks: AIMessageChunk and its kin, and the pieces of calls that they bring."""
