"""Shortcuts: the usual blocks of Python by their exact keys and types, so that nothing can deviate.

All that is done for speed here and in the other modules is of four kinds:

- A block with the exact keys and types of the library is read without writing and comparing it: by the functions below
  and their like in java_blocks.py. ``quick_message`` of a dialect does the same for what stands beside content. Each
  gives None for whatever is not exactly so, which is left to the general path; a test holds both against each other.
- What is written has a message's keys in their order, without the questions for what it does not have.
- A note of marks only asks for no spelling, so what is written need not be read again (``write_marked``).
- Cells of the capability tables say in which usual case they change nothing (``usually``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import agentmsg as am
from agentmsg.formats import EMPTY, adopt, is_object, maker
from agentmsg_codecs.agentscope.calls import says_otherwise
from agentmsg_codecs.agentscope.names import CALL_STATES, FAMILY, RESULT_STATES, SIGNER

if TYPE_CHECKING:
    from collections.abc import Mapping

    from agentmsg.formats import Native


_make_text = maker(am.TextBlock)
_make_thinking = maker(am.ThinkingBlock)
_make_signature = maker(am.Signature)
_make_call = maker(am.ToolUseBlock)
_make_result = maker(am.ToolResultBlock)
_UNSAID = adopt({FAMILY: {"/unsaid": True}})


def _has_keys(native: Native, count: int) -> bool:
    """Whether a block of 2.x has so many keys, one of them the time of its end; its birth is not counted."""
    return "finished_at" in native and len(native) == count + ("created_at" in native)


def _times(native: Native) -> Mapping[str, Any]:
    """Return the extras of a block whose only unknown fields are the times of its birth and its end."""
    times: Native = {}
    if native["finished_at"] is not None:
        # In the order of the block: it counts.
        times = {key: native[key] for key in native if key in ("created_at", "finished_at")}
    elif "created_at" in native:
        times = {"created_at": native["created_at"]}
    extras: Mapping[str, Any] = adopt({FAMILY: times}) if times else EMPTY
    return extras


def quick_text(native: Native) -> am.TextBlock | None:
    """Return the block of a text that has words only."""
    text = native.get("text")
    return _make_text(text) if len(native) == 2 and type(text) is str else None  # noqa: PLR2004 - type and text


def _new_text(native: Native) -> am.TextBlock | None:
    text, own = native.get("text"), native.get("id")
    if type(text) is not str or not _has_keys(native, 3 if own is None else 4) or type(own) not in (str, type(None)):
        return None
    if own is None and "id" in native:
        return None
    return _make_text(text, item_id=own, extras=_times(native))


def _new_thinking(native: Native) -> am.ThinkingBlock | None:
    said, own, value = native.get("thinking"), native.get("id"), native.get("signature")
    if type(said) is not str or not _has_keys(native, 3 + (own is not None) + (value is not None)):
        return None
    if type(own) not in (str, type(None)) or type(value) not in (str, type(None)):
        return None
    if (own is None and "id" in native) or (value is None and "signature" in native):
        return None
    signature = None if value is None else _make_signature(SIGNER, value)
    return _make_thinking(said, item_id=own, signature=signature, extras=_times(native))


def _new_call(native: Native) -> am.ToolUseBlock | None:
    link, name, text, state = native.get("id"), native.get("name"), native.get("input"), native.get("state")
    if type(link) is not str or type(name) is not str or type(text) is not str or native.get("suggested_rules") != []:
        return None
    if not _has_keys(native, 6 if state is None else 7) or ("state" in native) is not (state is not None):
        return None
    if state is not None and (type(state) is not str or state not in CALL_STATES):
        return None
    return _make_call(link, name, raw_input=text, status=state, extras=_times(native))


def _old_call(native: Native) -> am.ToolUseBlock | None:
    link, name = native.get("id"), native.get("name")
    given: Any = native.get("input")
    if type(link) is not str or type(name) is not str or not is_object(given) or "_raw" in given:
        return None
    text = native.get("raw_input")
    if text is None:
        return _make_call(link, name, adopt(given)) if len(native) == 4 else None  # noqa: PLR2004 - with the type
    if len(native) != 5 or not text or not given or says_otherwise(given, text) or type(text) is not str:  # noqa: PLR2004 - with the type and the text
        return None
    return _make_call(link, name, adopt(given), raw_input=text)


def _said(native: Native) -> tuple[str, tuple[Any, ...], str] | None:
    """Return link, content and name of a result that has words; None of any other."""
    link, name, output = native.get("id"), native.get("name"), native.get("output")
    if type(link) is not str or type(name) is not str or not name or type(output) is not str or not output:
        return None
    return link, (_make_text(output),), name


def quick_old_result(native: Native) -> am.ToolResultBlock | None:
    """Return the block of a usual result of 1.x."""
    said = _said(native) if len(native) == 4 else None  # noqa: PLR2004 - with the type
    return None if said is None else _make_result(*said, notes=_UNSAID)


def quick_new_result(native: Native) -> am.ToolResultBlock | None:
    """Return the block of a usual result of 2.x."""
    said, state, metadata = _said(native), native.get("state"), native.get("metadata")
    if said is None or type(state) is not str or state not in RESULT_STATES:
        return None
    if not is_object(metadata) or not _has_keys(native, 7):
        return None
    return _make_result(*said, status=state, metadata=adopt(metadata) if metadata else EMPTY, extras=_times(native))


QUICK_OLD = ((am.TextBlock, "text", quick_text), (am.ToolUseBlock, "tool_use", _old_call))
QUICK_NEW = (
    (am.TextBlock, "text", _new_text),
    (am.ThinkingBlock, "thinking", _new_thinking),
    (am.ToolUseBlock, "tool_call", _new_call),
)
