"""The laws that every codec keeps, and what it takes to test them: for our codecs and for strangers'.

``for codec in agentmsg.codec_names(): ...`` runs ours and every installed codec under the same laws; see
``laws`` for what they say, ``strategies`` for Histories of the whole model, ``mutations`` for damaged documents.
Needs the extra ``test`` (hypothesis).

May import ``api`` and what lies below it.
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
    nothing_hides,
    prefix_stable,
    pure,
    returns_through,
    through_the_middle,
    typed_errors,
)
from agentmsg.testing.mutations import edit, mutate, note_words, owners, plant_notes
from agentmsg.testing.strategies import chunks, histories, json_values, messages, texts
from agentmsg.testing.systematic import damages

__all__ = [
    "LAWS",
    "canonical",
    "carried_account",
    "chunk_return",
    "chunks",
    "damages",
    "edit",
    "edits_win",
    "exact_return",
    "floor",
    "histories",
    "honest_account",
    "json_values",
    "messages",
    "mutate",
    "note_words",
    "notes_never_matter",
    "nothing_hides",
    "owners",
    "plant_notes",
    "prefix_stable",
    "pure",
    "returns_through",
    "texts",
    "through_the_middle",
    "typed_errors",
]
