"""Generated readers and writers of usual messages, from the table of fields.

A reader tests the exact keys of a body, and passes the values of its fields on, in the order of the table; a writer
takes these. The layout ``flat`` has all fields, as in ``model_dump``. The layout ``short``, the kwargs of dumpd, lacks
empty fields; the number of keys proves that there are no others. The generated code is in ``linecache``, so that
tracebacks show it.

Messages with absent, empty or unknown keys use the same functions: an absent or empty field reads as its default, and
an unknown key is an extra. So nothing is written again and compared. A writer puts a noted spelling back only in place
of the field's default.
"""

from __future__ import annotations

import linecache
from functools import cache
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from agentmsg.formats import EMPTY, Native, adopt, is_mapping, note_of, spelling
from agentmsg_codecs.langchain.messages.fields import MAY_MEAN, NEEDED, USUAL
from agentmsg_codecs.langchain.names import FAMILY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    import agentmsg as am
    from agentmsg_codecs.langchain.messages.fields import Field

Layout: TypeAlias = Literal["flat", "short"]


def reader(tag: str, layout: Layout, build: Callable[..., am.Msg | None]) -> Callable[[Native], am.Msg | None]:
    """Return the reader of usual bodies of a kind; ``build`` makes messages from their fields. None for any other."""
    made: Callable[[Native], am.Msg | None] = _function(f"read_{layout}_{tag}", "body", *_reader(tag, layout))(build)
    return made


def writer(tag: str, layout: Layout) -> Callable[..., Native]:
    """Return the function that makes bodies of a kind from the values of their fields."""
    values = ", ".join(field.key for field in _taken(tag))
    made: Callable[..., Native] = _function(f"write_{layout}_{tag}", values, *_writer(tag, layout))()
    return made


@cache
def _function(name: str, parameters: str, *lines: str) -> Callable[..., Any]:
    """Return a function that takes ``build``, and returns the function of these lines."""
    body = "\n        ".join(lines)
    text = f"def make(build=None):\n    def {name}({parameters}):\n        {body}\n    return {name}\n"
    file = f"<langchain: {name}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    scope: dict[str, Any] = {}
    exec(compile(text, file, "exec"), scope)  # noqa: S102 - made from the table, never from data
    make: Callable[..., Any] = scope["make"]
    return make


def _taken(tag: str) -> list[Field]:
    """Return the fields that a message is built from: all that can have more than one value."""
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


# -- messages that deviate --------------------------------------------------------------------------------------------

_PLAIN: Mapping[str, Native] = {
    tag: {key: field.default for key, field in fields.items() if field.default is not NEEDED}
    for tag, fields in USUAL.items()
}


def read_deviating(body: Native, tag: str, usual: Callable[[Native], am.Msg | None]) -> am.Msg | None:
    """Return the message of a body whose keys deviate; None if anything else is odd."""
    fields = USUAL[tag]
    # In the order of ``spelling.keep``: absent keys first.
    note: Native = {key: "absent" for key in fields if key not in body}
    if not all("absent" in fields[key].spelt for key in note):
        return None
    plain: Native = {**_PLAIN[tag]}
    extras: Native = {}
    for key, value in body.items():
        known = fields.get(key)
        if known is None:
            if key in MAY_MEAN:
                return None
            extras[key] = value
        elif not value and spelling.spelling_of(value) in known.spelt:
            note[key] = spelling.spelling_of(value)
        else:
            plain[key] = value
    message = usual(plain) if note or extras else None
    if message is None:
        return None
    changes: Native = {}
    if extras:
        changes["extras"] = adopt({FAMILY: adopt(extras)})
    if note:
        changes["notes"] = adopt({FAMILY: {**note_of(message, FAMILY), **note}})
    return spelling.changed(message, changes)


def write_deviating(message: am.Msg, usual: Callable[[am.Msg], Native | None]) -> Native | None:
    """Return the body of a message that ``read_deviating`` may have returned; None if anything else is odd."""
    extras: Any = message.extras.get(FAMILY) if message.extras else EMPTY
    if not is_mapping(extras) or len(message.extras) != bool(extras) or not MAY_MEAN.isdisjoint(extras):
        return None
    note = note_of(message, FAMILY)
    spelt = {key: name for key, name in note.items() if key[:1] != "/"}
    if not extras and not spelt:
        return None
    changes: Native = {"extras": EMPTY}
    if spelt:
        marks = {key: note[key] for key in note if key not in spelt}
        rest = {space: own for space, own in message.notes.items() if space != FAMILY}
        changes["notes"] = adopt({**rest, FAMILY: marks} if marks else rest)
    body = usual(spelling.changed(message, changes))
    if body is None:
        return None
    fields = USUAL[body["type"]]
    for key, name in spelt.items():
        field = fields.get(key)
        if field is None or type(name) is not str or name not in field.spelt or body[key] != field.default:
            return None
        if name == "absent":
            del body[key]
        else:
            body[key] = spelling.SPELLINGS[name]
    if extras:
        body.update(extras)
    return body
