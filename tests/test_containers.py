"""Containers: lists, single messages and objects that hold a list, the same for all codecs that have them."""

from __future__ import annotations

from typing import Any

import pytest

import agentmsg as am
from agentmsg.formats.containers import ContainerCodec, Containers
from agentmsg.testing import exact_return

CODECS: dict[am.CodecName, ContainerCodec] = {
    name: codec
    for name in am.codec_names()
    if isinstance(codec := am.get_codec(name), ContainerCodec) and name != "langchain-lc"  # its trees: see its tests
}
KEYS = [(name, key) for name, codec in CODECS.items() for key in codec.containers.keys]
OPTIONS = (None, "list", "object", "single")
HI, MORE = am.Msg("user", "Hi"), am.Msg("assistant", "More")

each_codec = pytest.mark.parametrize("name", CODECS)
each_key = pytest.mark.parametrize(("name", "key"), KEYS)


def native(name: am.CodecName, message: am.Msg = HI) -> Any:
    """Return one of our messages as a native one."""
    return am.encode(message, am.get_codec(name, container="single"))


def test_the_codecs_with_containers_are_known() -> None:
    """The tests below include at least these codecs, so they can't pass without any."""
    assert {"arcaelas", "langchain", "lionpride", "riffer", "synaptic"} <= set(CODECS)


@each_codec
def test_a_message_by_itself_is_one_document(name: am.CodecName) -> None:
    """``Msg.encode`` and ``am.encode`` of a message return one native message, of a history or of messages a list."""
    one = HI.encode(name)
    assert one == am.encode(HI, name) == am.get_codec(name).parse(am.dumps(HI, name), am.Limits(), "last")
    assert isinstance(one, dict)
    assert am.encode([HI], name) == am.encode(am.History([HI]), name) == [one]
    assert am.same(am.Msg.decode(one, name), am.decode([one], name)[0])


@each_codec
def test_the_option_chooses_for_what_was_not_read(name: am.CodecName) -> None:
    """``container`` chooses the container of a new history or a single message; two messages are never a single one."""
    one, other = native(name), native(name, MORE)
    key = CODECS[name].containers.keys[0]
    wanted = {None: [one], "list": [one], "object": {key: [one]}, "single": one}
    for container in OPTIONS:
        assert am.encode(am.History([HI]), am.get_codec(name, container=container)) == wanted[container]
        assert HI.encode(am.get_codec(name, container=container)) == (one if container is None else wanted[container])
        both = am.encode([HI, MORE], am.get_codec(name, container=container))
        assert both == ({key: [one, other]} if container == "object" else [one, other])


@each_key
@pytest.mark.parametrize("container", OPTIONS)
def test_what_was_read_decides_before_the_option(name: am.CodecName, key: str, container: str | None) -> None:
    """Every container comes back exactly, whatever the option, and accepts added messages."""
    codec = am.get_codec(name, container=container)
    one, other = native(name), native(name, MORE)
    documents: list[Any] = [[], [one], [one, other], one, {key: []}, {key: [one]}, {key: [one], "step": [1]}]
    for document in documents:
        history = exact_return(codec, document)
        assert history is not None
        longer = am.encode(history.extended(MORE), codec)
        is_object = document is not one and isinstance(document, dict)
        inside: list[Any] = [*(document[key] if is_object else [one] if document is one else document), other]
        assert longer == ({**document, key: inside} if is_object else inside)


@each_key
def test_what_stands_beside_the_messages_is_extras(name: am.CodecName, key: str) -> None:
    """Other keys of an object are the family's extras; a single message or a list that gets some is an object."""
    family = am.get_codec(name).family
    assert am.decode({key: [native(name)], "step": 1}, name).extras == {family: {"step": 1}}
    for document in ([native(name)], native(name)):
        history = am.decode(document, name).evolve(extras={family: {"step": 1}})
        first = CODECS[name].containers.keys[0]
        assert am.encode(history, name) == {first: [native(name)], "step": 1}


@each_codec
def test_what_looks_like_another_container_is_none(name: am.CodecName) -> None:
    """Extras that would change the document's container are a loss; no message becomes a container."""
    containers, family = CODECS[name].containers, am.get_codec(name).family
    taken = {*containers.own, containers.keys[0]}
    losses: list[am.Loss] = []
    history = am.History([HI], extras={family: {**{key: [1] for key in taken}, "step": 1}})
    document = am.encode(history, name, losses=losses)
    assert document == {containers.keys[0]: [native(name)], "step": 1}
    assert {loss.path for loss in losses} == {("extras", family, key) for key in taken}
    odd = {**native(name), containers.keys[0]: [native(name)]}
    assert exact_return(CODECS[name], odd) is not None
    assert exact_return(CODECS[name], [odd]) is not None


@each_codec
@pytest.mark.parametrize("document", [None, 5, "text", True])
def test_what_holds_no_messages_is_refused(name: am.CodecName, document: Any) -> None:
    """Anything but an object or a list raises a typed error, and has no native messages."""
    with pytest.raises(am.DecodeError):
        am.decode(document, name)
    assert CODECS[name].native_messages(document) == []


@each_key
def test_errors_tell_where_the_message_is(name: am.CodecName, key: str) -> None:
    """The path of an error leads to the message in its container."""
    paths: list[tuple[Any, ...]] = []
    for document in ([native(name), 5], {key: [5]}):
        with pytest.raises(am.DecodeError) as caught:
            am.decode(document, name)
        paths.append(caught.value.path)
    assert paths == [(1,), (key, 0)]


def test_an_object_holds_messages_under_the_first_of_several_keys() -> None:
    """Of several keys the first one with a list holds the messages; a message's key makes it a message."""
    containers = Containers(family="x", title="X", keys=("messages", "context"), own=frozenset({"role"}))
    places: list[tuple[Any, str | None]] = [
        ([], "list"),
        ({"context": []}, "context"),
        ({"messages": [], "context": []}, "messages"),
        ({"messages": 1, "context": []}, "context"),
        ({"role": "user", "context": []}, "single"),
        ({}, "single"),
        (1, None),
    ]
    assert [containers.place(document) for document, _ in places] == [place for _, place in places]
