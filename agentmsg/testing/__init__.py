"""The laws that every codec keeps, and tools to test them: for our codecs and for yours.

``check_codec(codec)`` runs all laws on a codec, and names what it loses. ``laws`` and ``stream_laws`` have them one by
one, as functions; ``strategies`` makes Histories of the whole model, ``mutations`` damages documents. Anything that
draws from Hypothesis needs the extra ``testing``.

May import ``api`` and what lies below it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentmsg.lazy import later

if TYPE_CHECKING:
    from agentmsg.testing.check import (
        Broken,
        CodecBroken,
        check_codec,
    )
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
        sendable,
        stable_writing,
        through_the_middle,
        typed_errors,
    )
    from agentmsg.testing.mutations import (
        edit,
        mutate,
        note_words,
        owners,
        plant_notes,
    )
    from agentmsg.testing.native_objects import natives
    from agentmsg.testing.strategies import (
        chunks,
        histories,
        json_values,
        messages,
        texts,
    )
    from agentmsg.testing.stream_laws import (
        any_events,
        cut_anywhere,
        disordered,
        emit_return,
        emitted,
        folded,
        live_sum,
        read_live,
        stream_return,
        streaming_codecs,
        transcoded,
    )
    from agentmsg.testing.systematic import (
        damages,
    )

# Imported on first use: the laws need no Hypothesis, and no test needs everything here.
_HOMES = {
    "agentmsg.testing.check": "Broken CodecBroken check_codec",
    "agentmsg.testing.laws": (
        "LAWS canonical carried_account chunk_return edits_win exact_return floor honest_account notes_never_matter "
        "nothing_hides prefix_stable pure returns_through sendable stable_writing through_the_middle typed_errors"
    ),
    "agentmsg.testing.mutations": "edit mutate note_words owners plant_notes",
    "agentmsg.testing.native_objects": "natives",
    "agentmsg.testing.strategies": "chunks histories json_values messages texts",
    "agentmsg.testing.stream_laws": (
        "any_events cut_anywhere disordered emit_return emitted folded live_sum read_live stream_return "
        "streaming_codecs transcoded"
    ),
    "agentmsg.testing.systematic": "damages",
}

__all__ = [
    "LAWS",
    "Broken",
    "CodecBroken",
    "any_events",
    "canonical",
    "carried_account",
    "check_codec",
    "chunk_return",
    "chunks",
    "cut_anywhere",
    "damages",
    "disordered",
    "edit",
    "edits_win",
    "emit_return",
    "emitted",
    "exact_return",
    "floor",
    "folded",
    "histories",
    "honest_account",
    "json_values",
    "live_sum",
    "messages",
    "mutate",
    "natives",
    "note_words",
    "notes_never_matter",
    "nothing_hides",
    "owners",
    "plant_notes",
    "prefix_stable",
    "pure",
    "read_live",
    "returns_through",
    "sendable",
    "stable_writing",
    "stream_return",
    "streaming_codecs",
    "texts",
    "through_the_middle",
    "transcoded",
    "typed_errors",
]

_found = later(globals(), _HOMES)


def __getattr__(name: str) -> Any:
    """Import a name; if it needs Hypothesis, and that is missing, say how to install it."""
    try:
        return _found(name)
    except ModuleNotFoundError as error:
        if error.name != "hypothesis":
            raise
    from agentmsg.optional import extra  # noqa: PLC0415 - only for the message

    return extra("hypothesis", "testing", f"agentmsg.testing.{name}")
