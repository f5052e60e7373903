"""Codecs of other packages: whatever their methods raise is one error of ours, with its cause.

Ours are left alone: a fault in one of them must not look like a bad document.
"""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any

from agentmsg.errors import AgentMsgError, DecodeError, EncodeError, excerpt

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["guard"]

_OURS = frozenset({"agentmsg", "agentmsg_codecs", "builtins"})
_METHODS: Mapping[str, type[AgentMsgError]] = {
    **dict.fromkeys(("read", "parse", "from_bytes", "read_chunk"), DecodeError),
    **dict.fromkeys(("write", "render", "to_bytes", "write_chunk", "make_caps", "covers", "suited"), EncodeError),
}


def guard(cls: type[Any]) -> None:
    """Make the methods of a codec's class, and of its bases, raise only errors of ours.

    It is called with the finished class: attrs may have made another one.
    """
    for base in cls.__mro__:
        if base.__module__.partition(".")[0] in _OURS:
            continue
        for name, kind in _METHODS.items():
            method = vars(base).get(name)
            if callable(method) and not hasattr(method, "is_guarded"):
                setattr(base, name, _guarded(method, kind))


def _guarded(method: Callable[..., Any], kind: type[AgentMsgError]) -> Callable[..., Any]:
    who = "the reader" if kind is DecodeError else "the writer"

    @wraps(method)
    def guarded(self: Any, *args: Any, **named: Any) -> Any:
        try:
            return method(self, *args, **named)
        except (AgentMsgError, RecursionError, MemoryError):
            raise
        except Exception as error:
            msg = f"{who} of {self.title} fails: {type(error).__name__}: {excerpt(str(error))}"
            raise kind(msg, code="codec", codec=self.name) from error

    guarded.is_guarded = True  # type: ignore[attr-defined] # pyright: ignore[reportFunctionMemberAccess]
    return guarded
