"""carry=True: content that a target can't hold travels in metadata of its document, and is restored from there."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import agentmsg as am
from agentmsg.fitting.account_file import from_lines
from agentmsg.fitting.carry import KEY, has_slot
from agentmsg.fitting.digest import content_digest
from agentmsg.formats.spelling import same_document
from agentmsg.testing import histories, mutate
from agentmsg.values.types import is_mapping, is_sequence
from data import effort, share
from support.documents import documents
from support.grand_tour import grand_tour

if TYPE_CHECKING:
    from collections.abc import Iterator

NAMES = tuple(am.codec_names())
SLOTS: tuple[am.CodecName, ...] = tuple(name for name in NAMES if has_slot(am.get_codec(name)))
NO_SLOTS = tuple(name for name in NAMES if name not in SLOTS and not am.get_codec(name).caps.everything)
TOUR = grand_tour()
# LangChain and others can't hold a tool that the provider runs.
TOOLS = am.History.of("Who won?", {"role": "assistant", "content": "Nobody.", "id": "a1"}).evolve(
    tools=[am.NativeTool("anthropic", {"type": "web_search_20250305", "name": "web_search"})]
)

each_slot = pytest.mark.parametrize("name", SLOTS)


def carrying(history: am.History) -> list[int]:
    """Return the indexes of messages that hold loss reports."""
    return [index for index, message in enumerate(history) if KEY in message.metadata]


def accounts(history: am.History) -> Any:
    """Return the carried value in the last message that holds any."""
    return history[carrying(history)[-1]].metadata[KEY]


def without_key(history: am.History) -> am.History:
    """Return a history without any loss reports in metadata."""
    return history.evolve(
        messages=[m.evolve(metadata={k: v for k, v in m.metadata.items() if k != KEY}) for m in history]
    )


def planted(history: am.History, value: Any, index: int = -1) -> am.History:
    """Return a history with a value in the place of carried loss reports."""
    messages = list(history)
    messages[index] = messages[index].evolve(metadata={**messages[index].metadata, KEY: value})
    return history.evolve(messages=messages)


def test_the_formats_with_a_place_are_those_that_carry_metadata() -> None:
    """Loss reports are carried if the capability table supports metadata of messages, and nowhere else."""
    assert SLOTS == (
        "agentscope", "agentscope-java", "langchain", "langchain-lc", "langgraph", "lionpride", "pydantic-ai",
        "synaptic", "vercel-ui",
    )  # fmt: skip
    assert NO_SLOTS == (
        "anthropic",
        "anthropic-response",
        "arcaelas",
        "bedrock",
        "bedrock-response",
        "gemini",
        "gemini-response",
        "hf",
        "openai",
        "openai-response",
        "openai-responses",
        "openai-responses-response",
        "riffer",
        "sharegpt",
        "vercel",
    )


@each_slot
def test_content_comes_back_from_the_document_alone(name: am.CodecName) -> None:
    """With carry nothing is refused, and the document alone gives back all content."""
    with pytest.raises(am.LossError):
        am.encode(TOOLS, name)
    document = am.encode(TOOLS, name, carry=True)
    assert am.loads(am.dumps(TOOLS, name, carry=True), name) == am.decode(document, name)
    content = am.restore(am.decode(document, name))
    assert content.tools == TOOLS.tools
    assert content_digest(content) == content_digest(TOOLS)


@each_slot
def test_with_the_rest_of_the_account_the_tour_comes_back(name: am.CodecName) -> None:
    """The carried losses and the report of the rest rebuild the whole input, in memory and from files."""
    done = am.convert(am.dumps(TOUR, "json"), "json", name, carry=True)
    assert done.losses.carried > 0
    assert not done.losses.content.lost
    back = am.loads(done.document, name)
    filed = am.load_losses(am.dump_losses(done.losses, back))
    assert filed.carried == done.losses.carried
    assert am.same(am.restore(back, done.losses), TOUR)
    assert am.same(am.restore(back, filed), TOUR)
    collected: list[am.Loss] = []
    am.encode(done.history, name, losses=collected, carry=True)
    assert collected == list(done.losses)
    assert am.same(am.restore(am.restore(back), collected), TOUR), "accounts stack: the last is restored first"


@pytest.mark.parametrize("name", NO_SLOTS)
def test_without_a_place_carry_changes_nothing(name: am.CodecName) -> None:
    """A format without metadata loses the same as always, and reports it."""
    with pytest.raises(am.LossError):
        am.encode(TOUR, name, carry=True)
    with_carry, without = (am.convert(am.dumps(TOUR, "json"), "json", name, carry=carry) for carry in (True, False))
    assert with_carry == without
    assert with_carry.losses.carried == 0


@pytest.mark.parametrize("name", NAMES)
def test_where_no_content_is_lost_carry_changes_nothing(name: am.CodecName) -> None:
    """Only content is carried: without any loss of it, document and report are the same as always."""
    history = am.History([am.Msg.user("Hi", name="ada"), am.Msg.assistant("Hello")])
    if am.encode(history[1:], name, on_loss="ignore") == am.encode(history, name, on_loss="ignore"):
        history = history[1:]  # a provider's response is one message
    plain: list[am.Loss] = []
    carried: list[am.Loss] = []
    assert am.encode(history, name, losses=carried, carry=True) == am.encode(history, name, losses=plain)
    assert carried == plain
    back = am.decode(am.encode(history, name, carry=True), name)
    assert am.restore(back) is back, "a history that carries nothing is itself"


@each_slot
def test_all_else_in_the_document_is_as_it_was(name: str) -> None:
    """Without its carried report, a document equals the one that is written without carry."""
    codec = am.get_codec(name)
    count = tried = 0
    for source in ("anthropic", "openai"):
        for _, document in documents(source):
            tried += 1
            done = am.convert(document, source, codec, carry=True)
            if not done.losses.carried:
                continue
            count += 1
            plain = am.convert(document, source, codec).document
            assert same_document(am.encode(without_key(am.decode(done.document, codec)), codec), plain)
            assert len(codec.native_messages(done.document)) == len(codec.native_messages(plain))
    assert count * 8 > tried, f"only {count} of {tried} documents carried anything"


@each_slot
def test_documents_of_other_formats_come_back_exactly(name: am.CodecName) -> None:
    """The carried losses and the report of the rest rebuild the source document to the letter."""
    for source in ("anthropic", "openai"):
        for case, document in share(documents(source), SLOTS.index(name), least=20):
            done = am.convert(document, source, name, carry=True)
            restored = am.restore(am.decode(done.document, name), done.losses)
            assert same_document(am.encode(restored, source), document), f"{source} {case}"


@each_slot
def test_a_message_more_changes_the_last_native_one_only(name: str) -> None:
    """The report is in the last native message, so that earlier ones stay unchanged when messages are added."""
    codec = am.get_codec(name)
    for case, document in documents("openai"):
        history = am.decode(document, "openai")
        for count in range(1, min(len(history), 6)):
            before, after = (
                codec.native_messages(am.encode(history[:end], codec, on_loss="ignore", carry=True))
                for end in (count, count + 1)
            )
            for index, native in enumerate(before[:-1]):
                assert same_document(native, after[index]), f"{case}: native message {index} changed"


@each_slot
def test_the_same_document_each_time(name: am.CodecName) -> None:
    """Encoding is deterministic; a history that was read back is written the same, with or without carry."""
    document = am.dumps(TOUR, name, carry=True)
    assert am.dumps(TOUR, name, carry=True) == document
    back = am.loads(document, name)
    assert am.dumps(back, name, carry=True) == am.dumps(back, name) == document


@pytest.mark.parametrize("value", ["mine", 5, [], {}, None, {"agentmsg-losses": 1}], ids=repr)
def test_data_of_others_under_the_key_is_left_alone(value: Any) -> None:
    """If an application has another value under the key, nothing is carried, and losses are reported."""
    history = planted(TOOLS, value)
    with pytest.raises(am.LossError) as caught:
        am.encode(history, "langchain", carry=True)
    assert caught.value.code == "content-loss"
    done = am.convert(am.dumps(history, "json"), "json", "langchain", carry=True)
    assert done.losses.carried == 0
    back = am.loads(done.document, "langchain")
    assert am.same(accounts(back), value), "it is data like any other"
    assert am.same(am.restore(back, done.losses), history)
    with pytest.raises(am.LossError) as caught:
        am.restore(back)
    assert caught.value.code == "schema"


def test_a_list_of_others_under_the_key_is_kept() -> None:
    """An application's own list keeps its items: the report is appended, and taken from there."""
    history = planted(TOOLS, ["mine"])
    back = am.decode(am.encode(history, "langchain", carry=True), "langchain")
    assert accounts(back)[0] == "mine"
    assert am.restore(back)[-1].metadata == {KEY: ["mine"]}


def test_nothing_is_put_before_what_is_there() -> None:
    """A report is never put where an older one would be found first."""
    history = planted(TOOLS.extended(am.Msg("native", [am.NativeBlock("x", 1)])), ["older"])
    done = am.convert(am.dumps(history, "json"), "json", "lionpride", carry=True)
    assert done.losses.carried > 0, "the message that held it is dropped, and with it the older one"
    assert am.same(am.restore(am.loads(done.document, "lionpride"), done.losses), history)


@given(history=histories(), first=st.sampled_from(SLOTS), second=st.sampled_from(SLOTS))
def test_accounts_stack(history: am.History, first: am.CodecName, second: am.CodecName) -> None:
    """A history that went through two formats with carry is restored in two steps, the last first."""
    once = am.decode(am.encode(history, first, on_loss="ignore", carry=True), first)
    done = am.convert(am.dumps(once, "json"), "json", second, carry=True)
    twice = am.loads(done.document, second)
    if not done.losses.carried:
        return  # nothing was lost that is carried, or there was no place for it
    restored = am.restore(twice)
    assert content_digest(restored) == content_digest(once)
    if carrying(restored):
        assert content_digest(am.restore(restored)) == content_digest(am.restore(once))


@pytest.mark.parametrize("second", SLOTS)
@each_slot
def test_accounts_of_the_tour_stack(name: am.CodecName, second: am.CodecName) -> None:
    """The whole model through two formats with carry: restored twice, all content is there."""
    once = am.decode(am.encode(TOUR, name, carry=True), name)
    twice = am.decode(am.encode(once, second, carry=True), second)
    back = am.restore(twice) if accounts(twice) != accounts(once) else twice  # one form of LangChain is another
    assert content_digest(am.restore(back)) == content_digest(TOUR)


def test_through_a_format_without_metadata() -> None:
    """Metadata with a report is lost as any metadata, as an annotation; its own report restores it."""
    once = am.decode(am.encode(TOOLS, "langchain", carry=True), "langchain")
    done = am.convert(am.dumps(once, "langchain"), "langchain", "openai", carry=True)
    assert not done.losses.content
    assert carrying(am.loads(done.document, "openai")) == []
    again = am.restore(am.loads(done.document, "openai"), done.losses)
    assert am.same(again, once)
    assert am.restore(again).tools == TOOLS.tools


def test_messages_added_behind_come_through() -> None:
    """If a conversation went on, the carried losses are restored, and the new messages come after."""
    back = am.decode(am.encode(TOOLS, "langchain", carry=True), "langchain")
    more = am.Msg.user("And now?")
    assert am.restore(back.extended(more)).messages[-1] is more
    assert am.restore(back.extended(more)).tools == TOOLS.tools


def test_edited_content_is_refused() -> None:
    """A report belongs to the content it was carried with; other content beside it may change."""
    back = am.decode(am.encode(TOOLS, "langchain", carry=True), "langchain")
    for edited in (back[1:], back.evolve(messages=[back[0].with_content("no"), back[1]])):
        with pytest.raises(am.LossError) as caught:
            am.restore(edited)
        assert caught.value.code == "edited"
    assert am.restore(back.evolve(messages=[back[0].with_name("ada"), back[1]])).tools == TOOLS.tools
    kept = am.restore(back.evolve(messages=[back[0].with_content("no"), back[1]]), edits="keep")
    assert (kept[0].text, kept.tools) == ("no", TOOLS.tools)


def test_an_account_without_its_carried_part_is_refused() -> None:
    """If the carried part was removed, the rest of the report doesn't pretend to be complete."""
    done = am.convert(am.dumps(TOOLS, "json"), "json", "langchain", carry=True)
    back = without_key(am.loads(done.document, "langchain"))
    for losses in (done.losses, done.losses.filter(level="annotation"), done.losses[:0]):
        with pytest.raises(am.LossError) as caught:
            am.restore(back, losses)
        assert caught.value.code == "edited"


def test_summary_says_what_is_carried() -> None:
    """The summary of a report counts the carried losses."""
    done = am.convert(am.dumps(TOUR, "json"), "json", "langchain", carry=True)
    assert done.losses.lost.summary().endswith(f", {done.losses.carried} carried")
    assert (
        am.convert(am.dumps(TOOLS, "json"), "json", "langchain", carry=True).losses.summary()
        == "2 annotation, 1 carried"
    )


@each_slot
def test_odd_content_is_carried(name: am.CodecName) -> None:
    """Carried values may be any text, any number, and as deep as any other."""
    deep: Any = "end"
    for _ in range(60):
        deep = [{"a": deep}]
    data = {"odd": '\x00\u2028\U0001f600\n\\"', "big": 10**30, "deep": deep, KEY: ["x"], "lc": 1, "type": "constructor"}
    history = am.History([am.Msg.user("hi"), am.Msg("user", [am.NativeBlock("x", data), am.TextBlock("ho")])])
    back = am.loads(am.dumps(history, name, carry=True), name)
    assert am.same(am.restore(back)[1].content[0], history[1].content[0])


def test_what_is_carried_is_text() -> None:
    """Dropped content is text in the document, never objects that a loader of the format would read as its own."""
    evil: dict[str, Any] = {"lc": 1, "type": "constructor", "id": ["os", "system"], "kwargs": {}}
    history = am.History([am.Msg("user", [am.TextBlock("hi"), am.NativeBlock("x", evil)])])
    document = am.encode(history, "langchain-lc", carry=True)

    def objects(value: Any) -> Iterator[dict[str, Any]]:
        if is_mapping(value):
            yield value
        inner: list[Any] = list(value.values()) if is_mapping(value) else value if is_sequence(value) else []
        for item in inner:
            yield from objects(item)

    assert all(found.get("id") != ["os", "system"] for found in objects(document))
    assert am.restore(am.decode(document, "langchain-lc"))[0].content == history[0].content


def test_reading_never_acts_on_an_account() -> None:
    """A planted report is data to decode, encode and convert; only restore reads it, and refuses it."""
    text = accounts(am.decode(am.encode(TOOLS, "langchain", carry=True), "langchain"))[0]
    other = planted(am.History.of("Something else", "entirely"), [text])
    document = am.encode(other, "langchain")
    assert am.same(am.decode(document, "langchain"), other)
    assert not am.convert(document, "langchain", "openai").losses.content
    with pytest.raises(am.LossError) as caught:
        am.restore(other)
    assert caught.value.code == "edited"


def test_damaged_accounts_give_a_history_or_one_typed_error() -> None:
    """Whatever a report holds, carried or on file, restore returns a history or raises an AgentMsgError."""
    rng = random.Random(1)
    bases = [am.decode(am.encode(TOUR, name, carry=True), name) for name in SLOTS]
    read = refused = 0
    tries = effort(300)
    for _ in range(tries):
        base = rng.choice(bases)
        index = carrying(base)[-1]
        lines = [json.loads(line) for line in accounts(base)[-1].split("\n")]
        number = rng.randrange(len(lines))
        lines[number] = mutate(lines[number], rng)
        if isinstance(lines[number], dict) and rng.random() < 0.3:
            lines[number]["at"] = rng.choice(("", "/", "/messages", "/messages/0", "/messages/99/content/0", "/-1"))
        try:
            am.restore(planted(base, ["\n".join(map(json.dumps, lines))], index))
            read += 1
        except am.AgentMsgError:
            refused += 1
    assert read > tries // 16
    assert refused > tries // 16


@pytest.mark.parametrize(
    "line",
    [
        '{"at":"/messages/0","moved":3}',
        '{"at":"/messages/0","split":[[0]]}',
        '{"at":"/messages/0","split":[[0,-1]]}',
        '{"at":"/messages/0","merged":[[true,0]]}',
        '{"at":"/messages/0/content/0","moved":[[0,0]]}',
        '{"at":"/tools/0","moved":"0"}',
    ],
)
def test_places_on_file_are_numbers(line: str) -> None:
    """A report on file gives positions as numbers, or is refused."""
    with pytest.raises(am.DecodeError):
        from_lines(['{"agentmsg-losses":1,"codec":"x"}', line])


def test_a_whole_message_is_never_changed() -> None:
    """A report in which a message became another is refused."""
    losses = [am.Loss(("messages", 0), "changed", "x", "content", am.Msg.user("a"), am.Msg.user("b"))]
    with pytest.raises(am.LossError):
        am.restore(am.History.of("b"), losses)


def test_accounts_on_file_hold_values_as_deep_as_documents() -> None:
    """A value that a document may hold can be read from a report on file."""
    deep: Any = 1
    for _ in range(120):
        deep = [deep]
    history = am.History([am.Msg.user("hi"), am.Msg("user", [am.NativeBlock("x", deep), am.TextBlock("ho")])])
    done = am.convert(am.dumps(history, "json"), "json", "anthropic")
    back = am.loads(done.document, "anthropic")
    assert am.same(am.restore(back, am.load_losses(am.dump_losses(done.losses, back))), history)


@pytest.mark.parametrize("header", ['"carried":-1', '"carried":true', '"messages":1,"digest":"a","content":"b"'])
def test_headers_are_checked(header: str) -> None:
    """The header of a report counts the carried losses, and has at most one digest."""
    with pytest.raises(am.DecodeError):
        from_lines(['{"agentmsg-losses":1,"codec":"x",' + header + "}"])
