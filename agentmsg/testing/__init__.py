"""The laws that every codec keeps, and what it takes to test them: for our codecs and for strangers'.

``for codec in agentmsg.codec_names(): ...`` runs ours and every installed codec under the same laws; see
``laws`` for what they say, ``strategies`` for Histories of the whole model, ``mutations`` for damaged documents.
Needs the extra ``test`` (hypothesis). Imports everything public; nothing imports it.
"""

from __future__ import annotations

from agentmsg.testing.laws import (
    LAWS,
    canonical,
    carried_account,
    chunk_return,
    edits_win,
    exact_return,
    floor,
    honest_account,
    notes_never_matter,
    prefix_stable,
    pure,
    through_the_middle,
    typed_errors,
)
from agentmsg.testing.mutations import edit, mutate, plant_notes
from agentmsg.testing.strategies import chunks, histories, json_values, messages, texts

__all__ = [
    "LAWS",
    "canonical",
    "carried_account",
    "chunk_return",
    "chunks",
    "edit",
    "edits_win",
    "exact_return",
    "floor",
    "histories",
    "honest_account",
    "json_values",
    "messages",
    "mutate",
    "notes_never_matter",
    "plant_notes",
    "prefix_stable",
    "pure",
    "texts",
    "through_the_middle",
    "typed_errors",
]
