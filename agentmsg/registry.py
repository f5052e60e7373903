"""Codecs by name: our table first, then other packages' entry points.

Our codecs are listed in ``agentmsg_codecs.CODECS``, which is looked up by that name at run time: the core never imports
a codec. Scanning entry points (group ``agentmsg.codecs``) costs about 50 ms, so it happens only for a name that the
table lacks, or to list all.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, cast

import attrs

from agentmsg.errors import AgentMsgError, CodecLookupError, close_to, excerpt, is_a, refused
from agentmsg.formats.codec import Codec
from agentmsg.formats.foreign import guard
from agentmsg.lazy import imported
from agentmsg.model.construction import paused
from agentmsg.model.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from agentmsg_codecs import CodecName

ENTRY_POINTS = "agentmsg.codecs"
_TABLE = "agentmsg_codecs"


@cache
def _ours() -> Mapping[str, str]:
    table: Mapping[str, str] = imported(_TABLE).CODECS
    return table


@cache
def _theirs() -> Mapping[str, Any]:
    from importlib.metadata import entry_points  # noqa: PLC0415 - see the module's docstring
    from warnings import warn  # noqa: PLC0415 - the same

    found: dict[str, Any] = {}
    for point in entry_points(group=ENTRY_POINTS):
        known = _ours().get(point.name) or getattr(found.setdefault(point.name, point), "value", None)
        if known != point.value:
            msg = f"agentmsg: the codec {excerpt(point.name)} of {point.value} isn't used: {known} has this name"
            warn(msg, stacklevel=2)
    return found


def codec_names() -> tuple[CodecName, ...]:
    """Return the names of all codecs, sorted; our codec wins over an entry point of the same name.

    Type checkers take all of these for our names: they can't know those of other packages.
    """
    return tuple(sorted(cast("set[CodecName]", {*_ours(), *_theirs()})))


@cache
def codec_class(name: str) -> type[Codec]:
    """Return the class of a codec.

    Raises:
        CodecLookupError: code "unknown-codec" with close matches, or "unavailable" if its module can't be
            imported or isn't a codec.
    """
    home = _ours().get(name)
    if home is not None:
        module, _, attribute = home.partition(":")
        ours: type[Codec] = getattr(imported(module), attribute)
        return ours
    point = _theirs().get(name)
    if point is None:
        raise _unknown(name)
    try:
        package = point.value.partition(":")[0].rpartition(".")[0]
        if package:
            imported(package)
        found: Any = point.load()
    except Exception as error:  # whatever is wrong with a foreign module, that codec is unavailable
        msg = f"the codec {excerpt(name)} of {point.value} cannot be imported: {error}"
        raise CodecLookupError(msg, code="unavailable", codec=name) from error
    if isinstance(found, type) and issubclass(found, Codec):
        try:
            guard(found)
        except CodecLookupError as error:
            raise error.at(codec=name) from None
        return found
    msg = f"{point.value} isn't a subclass of agentmsg.Codec"
    raise CodecLookupError(msg, code="unavailable", codec=name)


def _unknown(name: str) -> CodecLookupError:
    hint = close_to(name, codec_names()) or f"the codecs are {', '.join(codec_names())}"
    return CodecLookupError(f"there is no codec {excerpt(name)}; {hint}", code="unknown-codec")


def _plain(name: str) -> Codec:
    """Return the codec without options: the same object for all threads, because hooks may be registered on it."""
    known = _made.get(name)
    if known is not None:
        return known
    with paused():  # modules and tables stay: the collector would find nothing
        cls = codec_class(name)
        try:
            made = cls()
        except Exception as error:
            if name in _ours():
                raise
            msg = f"the codec {excerpt(name)} cannot be made: {type(error).__name__}: {excerpt(str(error))}"
            raise CodecLookupError(msg, code="unavailable", codec=name) from error
        return _made.setdefault(name, made)


_made: dict[str, Codec] = {}


def same_codec(codec: Codec) -> Codec:
    """Return the shared codec that ``get_codec`` gives if it equals this one; else the codec itself."""
    try:
        known = _plain(codec.name)
    except CodecLookupError:
        return codec  # its class isn't registered here
    return known if type(known) is type(codec) and known == codec else codec


def get_codec(codec: str | Codec, **options: Any) -> Codec:
    """Look up a codec by name and set its options; a codec object is returned as it is.

    Raises:
        CodecLookupError: code "unknown-codec", "unavailable", or "option" if the codec has no such option or refuses
            its value.
    """
    if type(codec) is str and not options and (known := _made.get(codec)) is not None:
        return known
    if is_a(codec, Codec):
        if not options:
            return codec
        return _with_options(type(codec), {**_options(codec), **options})
    if not is_a(codec, str):
        msg = f"the name of a codec must be a string, not {excerpt(codec)}"
        raise CodecLookupError(msg, code="unknown-codec")
    return _with_options(codec_class(codec), options) if options else _plain(codec)


def codecs() -> Iterator[tuple[str, Codec]]:
    """Yield all codecs with their names; without those of other packages that aren't available."""
    for name in codec_names():
        try:
            codec = get_codec(name)
        except CodecLookupError:
            continue
        yield name, codec


@cache
def class_of_family(family: str) -> type[Codec]:
    """Return the class that says what the keys of a family's native objects mean; the base of all if it has none."""
    try:
        return codec_class(family)
    except CodecLookupError:
        return Codec


@cache
def codec_of_family(family: str) -> Codec | None:
    """Return the codec that speaks for a family's extras; None if there is none with its name."""
    try:
        return get_codec(cast("Any", family))
    except CodecLookupError:
        return None


def _options(codec: Codec) -> dict[str, Any]:
    """Return a codec's options, without the fields it computes itself."""
    return {field.alias or field.name: getattr(codec, field.name) for field in attrs.fields(type(codec)) if field.init}


def _with_options(cls: type[Codec], options: Mapping[str, Any]) -> Codec:
    fields = {field.alias or field.name: field for field in attrs.fields(cls) if field.init}
    known = list(fields)
    for name, value in options.items():
        if name in known:
            _check(cls, name, value, getattr(fields[name].validator, "options", None))
        else:
            msg = f"no option {excerpt(name)}; {_instead(name, known)}"
            raise CodecLookupError(msg, code="option", codec=cls.name)
    try:
        return cls(**options)
    except AgentMsgError as error:
        raise CodecLookupError(error.message, code="option", codec=cls.name) from None
    except Exception as error:  # whatever a foreign codec or object raises
        # attrs validators put internals after the words.
        words = f": {error.args[0]}" if error.args and is_a(error.args[0], str) else ""
        given = ", ".join(f"{name}={excerpt(value)}" for name, value in options.items())
        raise CodecLookupError(f"no option {given}{words[:200]}", code="option", codec=cls.name) from error


def _instead(name: str, known: list[str]) -> str:
    """Return what to write in place of an option that a codec lacks."""
    from agentmsg.model.fields import Converting, Reading, Writing  # noqa: PLC0415 - only for the message

    settings = [field.name for field in attrs.fields(Settings)]
    told = {
        **{each: f"settings belong to the history: history.with_settings({each}=...)" for each in settings},
        **{each: f"they belong to the history: history.evolve({each}=...)" for each in ("tools", "messages")},
        "system": "a system prompt is a message: Msg.system(...); messages_for(system=...) leaves it out",
    }
    others = sorted({*told, *Reading.__annotations__, *Writing.__annotations__, *Converting.__annotations__})
    found = told.get(name) or close_to(name, known)
    if not found and (close := close_to(name, others, 1, 0.6)):
        return " ".join([close, *(told[each] for each in told if close == f"did you mean {each}?")])
    return found or (f"its options: {', '.join(known)}" if known else "it has none")


def _check(cls: type[Codec], name: str, value: object, words: Iterable[object] | None) -> None:
    """Refuse a value that isn't among an option's words; True isn't 1."""
    if words is None or any(value is word or _equals(value, word) for word in words):
        return
    *most, last = map(repr, words)
    wanted = f"{', '.join(most)} or {last}" if most else last
    told = refused(name, value, wanted)
    raise CodecLookupError(told.message, code="option", codec=cls.name)


def _equals(value: object, word: object) -> bool:
    return (type(value) is type(word) and value == word) or (is_a(value, str) and str.__eq__(value, word) is True)
