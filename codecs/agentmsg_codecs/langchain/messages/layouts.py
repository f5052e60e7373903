"""Straight lines for usual messages, made of the table of fields.

A reader asks for the exact keys of a body, and hands on the values of its fields, in the order of the table; a writer
is given these. Layouts are ``flat``, all fields, as ``model_dump`` writes them, and ``short``, the kwargs of dumpd: it
leaves out what is empty, so that a count of what is there proves that nothing else is. Both are code, for this is where
the time goes: it stands in ``linecache``, so that tracebacks show it.
"""

from __future__ import annotations

import linecache
from functools import cache
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from agentmsg_codecs.langchain.messages.fields import NEEDED, USUAL

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    import agentmsg as am
    from agentmsg.formats import Native
    from agentmsg_codecs.langchain.messages.fields import Field

Layout: TypeAlias = Literal["flat", "short"]


def reader(tag: str, layout: Layout, build: Callable[..., am.Msg | None]) -> Callable[[Native], am.Msg | None]:
    """Return what reads usual bodies of a kind, and builds messages of their fields; it gives None of any other."""
    made: Callable[[Native], am.Msg | None] = _function(f"read_{layout}_{tag}", "body", *_reader(tag, layout))(build)
    return made


def writer(tag: str, layout: Layout) -> Callable[..., Native]:
    """Return what makes the bodies of a kind of the values of their fields."""
    values = ", ".join(field.key for field in _taken(tag))
    made: Callable[..., Native] = _function(f"write_{layout}_{tag}", values, *_writer(tag, layout))()
    return made


@cache
def _function(name: str, parameters: str, *lines: str) -> Callable[..., Any]:
    """Return what makes a function of its lines, once it is told what these call ``build``."""
    body = "\n        ".join(lines)
    text = f"def make(build=None):\n    def {name}({parameters}):\n        {body}\n    return {name}\n"
    file = f"<langchain: {name}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    scope: dict[str, Any] = {}
    exec(compile(text, file, "exec"), scope)  # noqa: S102 - made of the table, never of data
    make: Callable[..., Any] = scope["make"]
    return make


def _taken(tag: str) -> list[Field]:
    """Return the fields whose values a message is built of: all but those that can say only one thing."""
    return [field for field in USUAL[tag].values() if field.key != "type" and not field.is_idle]


def _reader(tag: str, layout: Layout) -> Iterator[str]:
    taken = _taken(tag)
    must = [field for field in USUAL[tag].values() if layout == "flat" or field.dumpd != "if set"]
    yield "try:"
    yield from (f"    {field.key} = body[{field.key!r}]" for field in must if field in taken)
    yield f"    if {' or '.join(f'body[{field.key!r}] != {field.default!r}' for field in must if field not in taken)}:"
    yield "        return None"
    yield "except KeyError:"
    yield "    return None"
    yield f"keys = {len(must)}"
    for field in taken:
        indent = ""
        if field not in must:
            yield f"{field.key} = body.get({field.key!r})"
            yield f"if {_is_set(field)}:"
            yield "    keys += 1"
            indent = "    "
        if field.default == {}:
            yield f"{indent}if {field.key}.__class__ is not dict:"
            yield f"{indent}    return None"
    yield f"return build({', '.join(field.key for field in taken)}) if len(body) == keys else None"


def _is_set(field: Field) -> str:
    return f"{field.key} is not None" if field.default is None or field.default is NEEDED else field.key


def _writer(tag: str, layout: Layout) -> Iterator[str]:
    taken = _taken(tag)

    def value(field: Field) -> str:
        return field.key if field in taken else repr(field.default)

    def put(fields: Iterable[Field], test: Callable[[Field], str]) -> Iterator[str]:
        for field in fields:
            only_if = test(field)
            yield f"{f'if {only_if}: ' if only_if else ''}body[{field.key!r}] = {value(field)}"

    def is_there(field: Field) -> str:
        always = layout == "flat" or field.dumpd == "always"
        return "" if always and field.default is not NEEDED else _is_set(field)

    fields = list(USUAL[tag].values())
    last = [field for field in fields if field.dumpd == "last"] if layout == "short" else []
    lead = list(takewhile(lambda field: not is_there(field), fields))
    yield f"body = {{{', '.join(f'{field.key!r}: {value(field)}' for field in lead)}}}"
    yield from put((field for field in fields[len(lead) :] if field not in last or field in taken), is_there)
    yield from put(last, lambda field: f"not {field.key}" if field in taken else "")
    yield "return body"
