"""The generated code of a format as a module: its functions, after the names that they use."""

from __future__ import annotations

from types import CodeType
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_MOST = 90


def as_module(family: str, texts: Sequence[str], scope: Mapping[str, Any]) -> str:
    """Return functions as the text of a module.

    Args:
        family: whose format it is.
        texts: of the functions.
        scope: the names they may use. Each used name is declared, with its meaning as a comment.
    """
    body = "\n\n".join(texts)
    code = compile(body, family, "exec", dont_inherit=True)
    own = set(code.co_names)
    used = sorted({name for name in _names(code) if name in scope} - own - {"Any"})
    declared = [f"{name}: Any = ...{_told(scope[name])}" for name in used]
    head = [f'"""Generated from the forms of {family}."""', "", "from typing import Any", "", *declared, "", ""]
    return "\n".join([*head, body])


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _names(inner)


def _told(value: Any) -> str:
    """Return what a name means, as a comment: a value, or a function; empty if the name says it."""
    if isinstance(value, frozenset):
        text = f"{{{', '.join(sorted(map(repr, cast('Any', value))))}}}"
    elif value is None or type(value) in (str, int) or isinstance(value, dict):
        text = repr(cast("Any", value))
    elif getattr(value, "__module__", None) and hasattr(value, "__qualname__"):
        text = f"{value.__module__}.{value.__qualname__}"
    else:
        return ""
    return f"  # {text if len(text) <= _MOST else text[: _MOST - 4] + ' ...'}"
