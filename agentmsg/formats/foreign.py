"""Codecs of other packages: whatever their methods raise is one error of ours, with its cause.

What they return is one, too, if it is of another kind than it should be.

Ours are left alone: a fault in one of them must not look like a bad document.
"""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any

from agentmsg.errors import AgentMsgError, CodecLookupError, DecodeError, EncodeError, excerpt, is_a
from agentmsg.lazy import imported

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_OURS = frozenset({"agentmsg", "agentmsg_codecs", "builtins"})
_METHODS: Mapping[str, type[AgentMsgError]] = {
    **dict.fromkeys(("read", "parse", "from_bytes", "raw_arguments", "read_chunk"), DecodeError),
    **dict.fromkeys(("write", "render", "to_bytes", "write_chunk", "make_caps", "covers", "suited"), EncodeError),
}
# What a method returns: a class of ours, by its module, or what any document is.
_RETURNED: Mapping[str, tuple[str, str]] = {
    **dict.fromkeys(("read", "from_bytes"), ("agentmsg.model.history", "History")),
    "read_chunk": ("agentmsg.stream.chunk", "MsgChunk"),
    "suited": ("agentmsg.formats.codec", "Codec"),
    "make_caps": ("agentmsg.formats.capabilities", "Caps"),
    "raw_arguments": ("builtins", "list"),
    **dict.fromkeys(("render", "to_bytes"), ("builtins", "bytes")),
}
_PLAIN = (dict, list, tuple, str, bytes)


def guard(cls: type[Any]) -> None:
    """Make the methods of a codec's class, and of its bases, raise only errors of ours.

    It is called with the finished class: attrs may have made another one.

    Raises:
        CodecLookupError: code "unavailable" if the class has no name.
    """
    if not is_a(getattr(cls, "name", None), str):
        msg = f"the codec {excerpt(cls.__name__)} has no name"
        raise CodecLookupError(msg, code="unavailable")
    for base in cls.__mro__:
        if base.__module__.partition(".")[0] in _OURS:
            continue
        for name, kind in _METHODS.items():
            is_named = name == "make_caps" and "caps_in" in vars(base)
            method = getattr(base, name) if is_named else vars(base).get(name)
            if callable(method) and not hasattr(method, "is_guarded"):
                setattr(base, name, _guarded(method, kind, _returned(name)))


def _returned(name: str) -> tuple[type[Any], ...]:
    if name in ("write", "write_chunk"):
        return _PLAIN
    module, cls = _RETURNED.get(name, ("builtins", "object"))
    return (getattr(imported(module), cls),)


def _guarded(
    method: Callable[..., Any], kind: type[AgentMsgError], returned: tuple[type[Any], ...]
) -> Callable[..., Any]:
    who = "the reader" if kind is DecodeError else "the writer"

    @wraps(method)
    def guarded(self: Any, *args: Any, **named: Any) -> Any:
        try:
            result = method(self, *args, **named)
        except (AgentMsgError, RecursionError, MemoryError):
            raise
        except Exception as error:
            msg = f"{who} of {self.title} fails: {type(error).__name__}: {excerpt(str(error))}"
            raise kind(msg, code="codec", codec=self.name) from error
        if is_a(result, returned):
            return result
        wanted = "plain data" if returned is _PLAIN else f"a {returned[0].__name__}"
        msg = f"{who} of {self.title} fails: {method.__name__} returned {excerpt(result)}, which isn't {wanted}"
        raise kind(msg, code="codec", codec=self.name)

    guarded.is_guarded = True  # type: ignore[attr-defined] # pyright: ignore[reportFunctionMemberAccess]
    return guarded
