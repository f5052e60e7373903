"""Calls of the SDKs: everything beside the model and the contents is in one object, ``config``.

The reader moves it to where a body has it, and the mark ``/config`` of the history moves it back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentmsg.formats import Native, is_mapping, is_object
from agentmsg_codecs.gemini.names import CONFIG, SETTING_KEYS, TOP_KEYS, both

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

KEY = "config"
_MOVED = TOP_KEYS | SETTING_KEYS
_BODY = TOP_KEYS | both((CONFIG,))


def unpacked(body: Native) -> Native:
    """Return a body with what its ``config`` holds in the usual places; the same body if it has no such object."""
    config: Any = body.get(KEY)
    if not is_object(config) or not is_moved(config, body):
        return body
    out: Native = {key: value for key, value in body.items() if key != KEY}
    out |= {key: value for key, value in config.items() if key in TOP_KEYS}
    settings = {key: value for key, value in config.items() if key in SETTING_KEYS}
    left = {key: value for key, value in config.items() if key not in _MOVED}
    return {**out, **({CONFIG: settings} if settings else {}), **({KEY: left} if left else {})}


def is_moved(config: Mapping[str, Any], keys: Iterable[str]) -> bool:
    """Whether an object beside these keys of a body is what an SDK takes."""
    return not _MOVED.isdisjoint(config) and _BODY.isdisjoint(keys)


def packed(body: Native) -> Native:
    """Return a body as an SDK takes it; the same body if it wouldn't be read as the same."""
    settings, left = body.get(CONFIG, {}), body.get(KEY, {})
    moved = {key: value for key, value in body.items() if key in TOP_KEYS}
    if not is_object(settings) or not is_mapping(left) or not SETTING_KEYS.issuperset(settings):
        return body
    is_nothing = any(key in body and not body[key] for key in (CONFIG, KEY))
    if is_nothing or not (moved or settings) or not _MOVED.isdisjoint(left):
        return body
    rest = {key: value for key, value in body.items() if key not in TOP_KEYS and key not in (CONFIG, KEY)}
    return {**rest, KEY: {**left, **moved, **settings}}
