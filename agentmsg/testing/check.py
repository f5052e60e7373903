"""check_codec: run all laws on a codec, and name what it loses. Needs Hypothesis (the extra ``testing``)."""

from __future__ import annotations

import random
import re
from contextlib import suppress
from datetime import UTC, datetime, timedelta, timezone
from functools import partial
from itertools import cycle
from typing import TYPE_CHECKING, Any, TypeVar, get_args

import attrs
import hypothesis
from hypothesis.errors import NoSuchExample

from agentmsg.api.streams import transcode
from agentmsg.errors import AgentMsgError, excerpt
from agentmsg.fitting.fit import fit
from agentmsg.model.base import CacheHint, Citation, Signature
from agentmsg.model.blocks import BaseBlock, Block, TextBlock, ToolResultBlock
from agentmsg.model.history import History
from agentmsg.model.msg import Msg
from agentmsg.model.roles import RoleName
from agentmsg.model.settings import Settings
from agentmsg.model.sources import Base64Source, BlocksSource, FileSource, TextSource, URLSource
from agentmsg.model.tools import NativeTool, ToolSpec
from agentmsg.model.usage import Usage
from agentmsg.registry import get_codec
from agentmsg.stream.frames import events
from agentmsg.testing import laws, stream_laws
from agentmsg.testing.mutations import edit, mutate, note_words, plant_notes
from agentmsg.testing.strategies import histories, messages
from agentmsg.testing.telling import shortened

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from hypothesis.strategies import SearchStrategy

    from agentmsg.formats.codec import Codec

# Any word is a role.
_ROLES: tuple[Any, ...] = (*get_args(RoleName), "moderator")
_SPEC = ToolSpec("f", "adds", {"type": "object"})
# A value for each field, by its name; all others are texts.
_VALUES: dict[str, Any] = {
    "approved": True,
    "artifact": {"rows": [1]},
    "cache": CacheHint(ttl="5m"),
    "citations": (Citation("https://example.org/a", "A", "cited"),),
    "content": (TextBlock("inside"),),
    "created_at": datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC),
    "data": {"a": [1, None, "x"]},
    "embedding": (0.5, -1.0),
    "end": 5,
    "extras": {"x-other": {"a": 1}},
    "input": {"a": 1},
    "metadata": {"mine": [1]},
    "parameters": {"type": "object", "properties": {}},
    "max_tokens": 100,
    "parallel_tool_calls": False,
    "raw": True,
    "raw_input": '{"a":  1}',
    "reasoning": {"effort": "high"},
    "response_format": {"name": "mood", "schema": {"type": "object"}, "strict": True},
    "response_metadata": {"logprobs": None, "n": 1},
    "seed": 7,
    "signature": Signature("x-other", "c2ln"),
    "source": URLSource("https://example.org/a.png"),
    "start": 0,
    "stop": ("END",),
    "store": False,
    "stream": True,
    "strict": True,
    "structured": {"mood": "good"},
    "temperature": 0.5,
    "tool_choice": {"name": "f"},
    "tools": (_SPEC,),
    "top_k": 5,
    "top_p": 0.9,
    "usage": Usage(input=3, output=4, total=7),
    "value": {"type": "odd"},
}
_EDGES = (datetime.min, datetime.max)  # noqa: DTZ901 - with a zone, and without one
_EAST, _WEST = timezone(timedelta(hours=2)), timezone(-timedelta(hours=2))
_PROVIDERS = ("anthropic", "google", "openai")
_APIS = ("chat", "responses")
_LINKS = ("call_1", "toolu_1", "srvtoolu_1", "mcptoolu_1", "ws_1", "msg_1", "rs_1", "fc_1", "run-1", "lc_1")
# Further values of fields: words that one format or another takes for its own.
_FURTHER: dict[str, tuple[Any, ...]] = {
    "api": _APIS,
    "approved": (False,),
    "cache": (CacheHint(), CacheHint(ttl="1h")),
    "citations": ((Citation(None, None, None, start=0, end=2),),),
    "created_at": (*_EDGES, *(edge.replace(tzinfo=zone) for edge in _EDGES for zone in (UTC, _EAST, _WEST))),
    "detail": ("low", "auto"),
    "error": ("",),
    "finish_reason": ("stop", "length", "tool_use", "content_filter", "error", "pause"),
    "id": _LINKS,
    "item_id": _LINKS,
    "kind": ("custom", "server"),
    "media_type": ("image/png", "application/pdf", "text/plain"),
    "name": ("mcp__a__b", "web_search"),
    "phase": ("commentary", "final_answer"),
    "provider": _PROVIDERS,
    "raw_input": ("", "{}", '{"a":'),
    "signature": (*(Signature(provider, "c2ln") for provider in _PROVIDERS), Signature("google", "c2-_bg")),
    "status": ("ok", "error", "denied"),
    "structured": ([], {}, [1], "text", {"content": [{"type": "text", "text": "x"}]}),
    "tool_call_id": _LINKS,
    "usage": (
        *(
            Usage().evolve(**{name: count})
            for name in ("input", "output", "total", "reasoning", "cache_read")
            for count in (0, -1)
        ),
        Usage(output=1, reasoning=5),
        Usage(input=1, cache_read=5),
    ),
}
# Settings of a request, besides one for each field.
_ASKED: tuple[dict[str, Any], ...] = (
    {"tool_choice": "required"},
    {"tool_choice": "none", "parallel_tool_calls": False},
    {"response_format": "json"},
    {"response_format": {"schema": {"type": "object"}}},
    {"reasoning": "off"},
    {"reasoning": {"budget": 1024}},
    {"temperature": 1.5, "top_p": 0.5, "seed": -1},
)
_SOURCES = (
    URLSource("https://example.org/a.png", "image/png"),
    Base64Source("aGk=", "image/png"),
    *(FileSource("file_1", provider=provider) for provider in (None, "openai")),
    TextSource("text", "text/plain"),
    BlocksSource((TextBlock("inside"),)),
)
_T = TypeVar("_T")

# Documents to generate if none are given, and damaged copies to try of each.
_OWN, _DAMAGED = 20, 10
_BROKEN = 0.1  # of the events of a stream
_SHOWN = 600
# The most faults to list in words; ``CodecBroken.broken`` has all.
_TOLD = 20
_INDEX = re.compile(r"\b[0-9]+\b|role='\w+'")
# Histories of the whole model are large, and most of those that break a law are small.
_SLOW = (
    hypothesis.HealthCheck.too_slow,
    hypothesis.HealthCheck.filter_too_much,
    hypothesis.HealthCheck.data_too_large,
    hypothesis.HealthCheck.large_base_example,
)
# The canonical forms, for law 4.
_MIDDLES = ("json", "msgpack")


def single_values() -> Iterator[History]:
    """Yield histories of one message, or of none, each with a single field set."""
    yield History()
    for field in ("id", "metadata", "extras"):
        yield History([_message("user")], **{field: _value(field)})
    for tool in _each(ToolSpec, name="f"):
        yield History([_message("user")], tools=[tool])
    yield History([_message("user")], tools=[NativeTool("x-other", {"type": "search"})])
    for settings in (*_each(Settings), *(Settings(**given) for given in _ASKED)):
        yield History([_message("user")], settings=settings)
    for message in _messages():
        yield History([message])


def _messages() -> Iterator[Msg]:
    for role in _ROLES:
        yield Msg(role=role, id=None, created_at=None)
        for name in _names(Msg):
            for value in _values(name) if name not in ("role", "content") else ():
                yield _message(role, **{name: value})
    for block in _blocks():
        # A result is alone in a tool message; everything else may be in any other message.
        for role in ("tool",) if isinstance(block, ToolResultBlock) else ("system", "user", "assistant", "moderator"):
            yield _message(role, block)
        if not isinstance(block, ToolResultBlock):
            yield _message("tool", ToolResultBlock("c1", (block,), name="f"))


def _message(role: Any, *content: BaseBlock, **fields: Any) -> Msg:
    """Return a message with only the given values; without content, with a text."""
    usual = ToolResultBlock("c1", (TextBlock("Hi"),)) if role == "tool" else TextBlock("Hi")
    given: dict[str, Any] = {"id": None, "created_at": None, **fields}
    return Msg(role=role, content=content or (usual,), **given)


def _blocks() -> Iterator[BaseBlock]:
    union, _ = get_args(Block)  # the second part is for pydantic
    for cls in get_args(union):
        if cls is BaseBlock:
            continue  # stands for users' own blocks
        needed = {name: _value(name) for name in _names(cls, needed=True)}
        for source in _SOURCES if "source" in needed else ():
            given: dict[str, Any] = {**needed, "source": source}
            yield cls(**given)
        yield from _each(cls, **needed)


def _names(cls: type[Any], *, needed: bool = False) -> list[str]:
    """Return the names of a class's fields, without notes: all, or the required ones."""
    fields = [field for field in attrs.fields(cls) if field.init and field.alias != "notes"]
    return [str(field.alias) for field in fields if not needed or field.default is attrs.NOTHING]


def _value(name: str) -> Any:
    return _VALUES.get(name, "x1")


def _values(name: str) -> tuple[Any, ...]:
    return (_value(name), *_FURTHER.get(name, ()))


def _each(cls: type[Any], **needed: Any) -> Iterator[Any]:
    """Yield an object of a class with only the required fields, and one for each further value of any field."""
    yield cls(**needed)
    for name in _names(cls):
        for value in _FURTHER.get(name, ()) if name in needed else _values(name):
            yield cls(**{**needed, name: value})


@attrs.frozen(kw_only=True)
class Broken:
    """A law that a codec breaks.

    Attributes:
        law: its name in ``LAWS``; of a law of streams, that of its function.
        why: what is wrong, with the path and the two values that differ.
        example: the smallest history found that shows it, or a document.
    """

    law: str
    why: str
    example: Any

    def __str__(self) -> str:
        """Return the law, what is wrong, and the example."""
        return f"{self.law}: {self.why}\n  for {shortened(self.example, _SHOWN)}"


class CodecBroken(AssertionError):
    """Raised by ``check_codec``.

    Attributes:
        broken: the broken laws, each with the smallest example.
    """

    def __init__(self, codec: Codec, broken: Sequence[Broken]) -> None:
        self.broken = tuple(broken)
        names = ", ".join(dict.fromkeys(each.law for each in broken))
        head = f"{codec.name} breaks these laws (agentmsg guide laws): {names}"
        more = [f"and {len(broken) - _TOLD} more"] if len(broken) > _TOLD else []
        super().__init__("\n".join([head, *map(str, broken[:_TOLD]), *more]))


def check_codec(
    codec: str | Codec, documents: Iterable[Any] = (), *, streams: Iterable[Any] = (), examples: int = 100
) -> None:
    """Run the laws on a codec; if it breaks one, say which value is lost, with the smallest example.

    Hypothesis makes histories of the whole model, and documents by writing these; streams, too, if the codec has
    events. Give real documents and streams, too: other programs write odder ones than your own codec does.

    Args:
        codec: a codec, or its name.
        documents: of its format, as plain data.
        streams: of its provider, each whole: bytes as its server sends them, or events as plain data.
        examples: number of histories to try for each law; 100 take about five seconds.

    Raises:
        CodecBroken: an AssertionError, if a law is broken; with the laws, and the smallest example of each.
    """
    chosen = get_codec(codec)
    given = list(documents)
    broken = [*_of_histories(chosen, examples), *_of_documents(chosen, given)]
    if chosen.events is not None:
        broken += of_streams(chosen, streams, examples)
    if broken:
        raise CodecBroken(chosen, broken)


def _of_histories(codec: Codec, examples: int) -> Iterator[Broken]:
    singles = list(single_values())
    settings = hypothesis.settings(max_examples=examples, deadline=None, database=None, suppress_health_check=_SLOW)
    drawn = _drawn(histories(), settings)
    for name, law in _history_laws(codec).items():
        alone = [Broken(law=name, why=why, example=one) for one in singles if (why := _why(law, one)) is not None]
        if alone:
            yield from _distinct(alone)
            continue
        example = next((history for history in drawn if _breaks(law, history)), None)
        if example is None:
            continue
        with suppress(NoSuchExample):  # the smallest, if it breaks the law each time
            example = hypothesis.find(histories(), partial(_breaks, law), settings=settings, random=_seeded())
        yield Broken(law=name, why=_why(law, example) or "not every time", example=example)


def _drawn(strategy: SearchStrategy[_T], settings: hypothesis.settings) -> list[_T]:
    """Return the values for all laws: making one takes longer than checking it."""
    drawn: list[_T] = []

    def keep(value: _T) -> bool:
        drawn.append(value)
        return False

    with suppress(NoSuchExample):
        hypothesis.find(strategy, keep, settings=settings, random=_seeded())
    return drawn


def _distinct(broken: Iterable[Broken]) -> list[Broken]:
    """Return each kind of fault once, whatever role and place it occurs in."""
    return list({_INDEX.sub("*", each.why): each for each in reversed([*broken])}.values())[::-1]


def _history_laws(codec: Codec) -> dict[str, Callable[[History], Any]]:
    """Return the laws of histories, each as a function of one history."""
    found: dict[str, Callable[[History], Any]] = {
        "honest report": lambda history: laws.honest_account(codec, history),
        "carried report": lambda history: laws.carried_account(codec, history),
        "notes never matter": lambda history: laws.notes_never_matter(codec, _noted(codec, history)),
        "prefix stability": lambda history: laws.prefix_stable(codec, history, Msg("user", "and one more", id="m")),
    }
    if codec.rules:
        found["sendable"] = lambda history: laws.sendable(codec, history)
    if codec.caps.measured:
        found["stable writing"] = lambda history: laws.stable_writing(codec, history)
    else:
        found["floor"] = lambda history: laws.floor(codec, history)
    if codec.caps.everything:
        found["canonical"] = lambda history: laws.canonical(codec, history)
    return found


def _noted(codec: Codec, history: History) -> History:
    """Return a history with notes planted, using the keys of this codec's own notes if it makes any."""
    _, keys, marks = note_words([laws.read_back(fit(history, codec).history, codec)])
    return plant_notes(history, _seeded(), (codec.family, codec.name, "x"), (*keys, "=", ""), (True, *marks))


def _of_documents(codec: Codec, given: Sequence[Any]) -> Iterator[Broken]:
    documents = [*given, *_written(codec)]
    rng = _seeded()
    damaged = [mutate(document, rng) for document in documents for _ in range(_DAMAGED)]
    if refused := next(filter(None, (_refused(codec, document) for document in given)), None):
        yield refused
    candidates = [*documents, *damaged]
    for name, law in _document_laws(codec).items():
        faults = [(document, why) for document in candidates if (why := _why(law, document)) is not None]
        if faults:
            example, why = min(faults, key=lambda fault: len(repr(fault[0])))
            yield Broken(law=name, why=why, example=example)
        if name == "typed errors":
            # A document that fails in another way does so in each law, which says nothing new.
            bad = {id(document) for document, _ in faults}
            candidates = [document for document in candidates if id(document) not in bad]


def _document_laws(codec: Codec) -> dict[str, Callable[[Any], Any]]:
    """Return the laws of documents, each as a function of one document."""
    return {
        "typed errors": lambda document: laws.typed_errors(codec, None, document),
        "exact return": lambda document: laws.exact_return(codec, document),
        **{
            f"through the middle, {middle.name}": partial(laws.through_the_middle, codec, middle=middle)
            for middle in map(get_codec, _MIDDLES)
        },
        "edits win": lambda document: laws.edits_win(codec, document, lambda history: edit(history, _seeded())),
        "purity": lambda document: laws.pure(codec, document),
    }


def of_streams(codec: Codec, given: Iterable[Any], examples: int) -> Iterator[Broken]:
    """Yield the laws of streams that a codec with events breaks; the arguments are those of ``check_codec``."""
    settings = hypothesis.settings(max_examples=examples, deadline=None, database=None, suppress_health_check=_SLOW)
    answers = [
        *_drawn(messages(), settings),
        *(each for history in single_values() for each in history if each.role == "assistant"),
    ]
    streams = [list(events(each) if isinstance(each, (bytes, str)) else each) for each in given]
    streams += [each for each in (stream_laws.emitted(codec, answer) for answer in answers) if each is not None]
    for name, law in _stream_laws(codec).items():
        faults = [(stream, why) for stream in streams if (why := _why(law, stream)) is not None]
        if faults:
            example, why = min(faults, key=lambda fault: len(repr(fault[0])))
            yield Broken(law=name, why=why, example=example)


def _stream_laws(codec: Codec) -> dict[str, Callable[[list[Any]], Any]]:
    """Return the laws of streams, each as a function of the events of one; others are providers in turn."""
    rng = _seeded()
    others = cycle([each for each in stream_laws.streaming_codecs() if each.events != codec.events] or [codec])

    def both_ways(stream: list[Any]) -> None:
        other = next(others)
        stream_laws.transcoded(codec, stream, other)
        stream_laws.transcoded(other, list(transcode(stream, codec, other)), codec)

    def broken(stream: list[Any]) -> list[Any]:
        return [mutate(each, rng) if rng.random() < _BROKEN else each for each in stream_laws.disordered(stream, rng)]

    return {
        "stream_return": lambda stream: stream_laws.stream_return(codec, stream_laws.folded(stream, codec)),
        "emit_return": lambda stream: stream_laws.emit_return(codec, mutate(stream_laws.folded(stream, codec), rng)),
        "live_sum": lambda stream: stream_laws.live_sum(codec, stream),
        "cut_anywhere": lambda stream: stream_laws.cut_anywhere(codec, stream, rng),
        "transcoded": both_ways,
        "any_events": lambda stream: stream_laws.any_events(codec, broken(stream), next(others)),
    }


def _written(codec: Codec) -> list[Any]:
    """Return documents that the codec writes for the first histories that Hypothesis makes."""
    written: list[Any] = []

    @hypothesis.seed(0)
    @hypothesis.settings(max_examples=_OWN, database=None, deadline=None, phases=[hypothesis.Phase.generate])
    @hypothesis.given(histories())
    def collect(history: History) -> None:
        # The laws of histories report what the codec can't write.
        with suppress(Exception):
            written.append(laws.plain(fit(history, codec).history, codec))

    collect()
    return written


def _refused(codec: Codec, document: Any) -> Broken | None:
    """Return the fault if a document given as one of the format is refused."""
    try:
        codec.read(document)
    except AgentMsgError as error:
        return Broken(law="typed errors", why=f"a document of the format is refused: {error}", example=document)
    except Exception:  # noqa: BLE001 - the law of errors names it
        return None
    return None


def _why(law: Callable[[Any], Any], value: Any) -> str | None:
    """Return why a law doesn't hold for a value; None if it does."""
    try:
        law(value)
    except AssertionError as error:
        return str(error) or "broken"
    except Exception as error:  # noqa: BLE001 - whatever a stranger's codec raises
        return f"{type(error).__name__}: {excerpt(str(error))[1:-1]}"
    return None


def _breaks(law: Callable[[Any], Any], value: Any) -> bool:
    return _why(law, value) is not None


def _seeded() -> random.Random:
    return random.Random(0)  # noqa: S311 - no cryptography here
