"""The content of messages, between OpenAI and Anthropic, case by case: media, thinking, refusals, caches, server tools.

Each case has the exact document in the other format, the exact losses, and the source again; see ``converts``.
"""

from __future__ import annotations

from typing import Any

import pytest

import agentmsg as am
from support.conversions import account_of, converts

ASK = {"role": "user", "content": "Which one?"}
PNG, PDF = "iVBORw0KGgo=", "JVBERi0="
PICTURE = "https://example.com/a.png"
FIRST = "messages/0/content/0"


def text(words: str, **more: Any) -> dict[str, Any]:
    """Return a text part, which is the same in both formats."""
    return {"type": "text", "text": words, **more}


def asking(*parts: Any) -> dict[str, Any]:
    """Return a body with one user message of these parts, the same in both formats."""
    return {"messages": [{"role": "user", "content": list(parts)}]}


def telling(content: Any, **more: Any) -> dict[str, Any]:
    """Return a body with one assistant message, the same in both formats."""
    return {"messages": [{"role": "assistant", "content": content, **more}]}


def forth(document: dict[str, Any], into: dict[str, Any], *account: str) -> am.Conversion:
    """Check the conversion of an OpenAI body to Anthropic."""
    return converts(document, "openai", "anthropic", into, *account)


def back(document: dict[str, Any], into: dict[str, Any], *account: str) -> am.Conversion:
    """Check the conversion of an Anthropic body to OpenAI."""
    return converts(document, "anthropic", "openai", into, *account)


def both(openai: dict[str, Any], anthropic: dict[str, Any]) -> None:
    """Check that each converts to the other, without loss."""
    forth(openai, anthropic)
    back(anthropic, openai)


def image_url(url: str, **more: Any) -> dict[str, Any]:
    """Return an OpenAI image."""
    return {"type": "image_url", "image_url": {"url": url, **more}}


def image(**source: str) -> dict[str, Any]:
    """Return an Anthropic image."""
    return {"type": "image", "source": source}


def document(source: dict[str, str], **more: Any) -> dict[str, Any]:
    """Return an Anthropic document."""
    return {"type": "document", "source": source, **more}


# -- media ------------------------------------------------------------------------------------------------------------


def test_texts_are_texts() -> None:
    """Adjacent text parts keep their number, blank ones included."""
    both(asking(text("a"), text("b"), text(" ")), asking(text("a"), text("b"), text(" ")))


def test_the_url_of_an_image_is_passed_on() -> None:
    """Nothing is fetched to turn it into data."""
    both(asking(image_url(PICTURE)), asking(image(type="url", url=PICTURE)))


def test_a_data_url_is_base64_data() -> None:
    """The data is the same text in both: it isn't encoded anew."""
    both(
        asking(image_url(f"data:image/png;base64,{PNG}")),
        asking(image(type="base64", media_type="image/png", data=PNG)),
    )


def test_the_detail_of_an_image_is_an_annotation() -> None:
    """Anthropic has no such setting."""
    forth(
        asking(image_url(PICTURE, detail="high")),
        asking(image(type="url", url=PICTURE)),
        f"{FIRST}/detail dropped (annotation)",
    )


def test_an_image_of_a_type_that_the_other_refuses_is_dropped() -> None:
    """Anthropic accepts four media types."""
    forth(
        asking(text("a"), image_url(f"data:image/bmp;base64,{PNG}")),
        {"messages": [{"role": "user", "content": "a"}]},
        "messages/0/content/1 dropped (content)",
    )


def test_a_pdf_is_a_document_whose_title_is_its_name() -> None:
    """OpenAI's files have a name, Anthropic's documents a title: the words stay, and the loss report has the field."""
    file = {"type": "file", "file": {"filename": "a.pdf", "file_data": f"data:application/pdf;base64,{PDF}"}}
    source = {"type": "base64", "media_type": "application/pdf", "data": PDF}
    forth(
        *(asking(file), asking(document(source, title="a.pdf"))),
        *(f"{FIRST}/name dropped (annotation)", f"{FIRST}/title invented (annotation)"),
    )
    back(
        *(asking(document(source, title="a.pdf")), asking(file)),
        *(f"{FIRST}/name invented (annotation)", f"{FIRST}/title dropped (annotation)"),
    )


def test_a_file_id_belongs_to_its_provider() -> None:
    """The other provider would find no file, or another one."""
    forth(
        asking(text("a"), {"type": "file", "file": {"file_id": "file-1"}}),
        {"messages": [{"role": "user", "content": "a"}]},
        "messages/0/content/1 dropped (content)",
    )
    source = {"type": "file", "file_id": "file_1"}
    back(
        asking(text("a"), document(source), {"type": "image", "source": source}),
        {"messages": [{"role": "user", "content": "a"}]},
        "messages/0/content/1 dropped (content)",
        "messages/0/content/2 dropped (content)",
    )


def test_a_document_by_url_is_dropped() -> None:
    """OpenAI accepts files only as data, and nothing is fetched."""
    source = {"type": "url", "url": "https://example.com/a.pdf"}
    back(
        asking(text("a"), document(source)),
        {"messages": [{"role": "user", "content": "a"}]},
        "messages/0/content/1 dropped (content)",
    )


def test_a_document_of_text_is_text() -> None:
    """A model reads the same words, under their title."""
    source = {"type": "text", "media_type": "text/plain", "data": "It was night."}
    back(
        asking(document(source, title="Novel")),
        {"messages": [{"role": "user", "content": "Novel\n\nIt was night."}]},
        f"{FIRST} changed (content)",
    )


def test_a_search_result_is_text() -> None:
    """Title, source and texts of a search result become text."""
    part = {"type": "search_result", "source": "wiki", "title": "Night", "content": [text("It is dark.")]}
    back(
        asking(part),
        {"messages": [{"role": "user", "content": "Night\n\nwiki\n\nIt is dark."}]},
        f"{FIRST} changed (content)",
    )


def test_sound_is_dropped() -> None:
    """Anthropic accepts no sound; that of a response is a reference that only OpenAI knows."""
    sound = {"type": "input_audio", "input_audio": {"data": "UklGRg==", "format": "wav"}}
    forth(
        asking(text("a"), sound),
        {"messages": [{"role": "user", "content": "a"}]},
        "messages/0/content/1 dropped (content)",
    )
    forth(telling(None, audio={"id": "audio_1"}), {"messages": []}, "messages/0 dropped (content)")


# -- thinking ---------------------------------------------------------------------------------------------------------

SIGNED = {"type": "thinking", "thinking": "Hm.", "signature": "c2lnbmVk"}


def test_thinking_has_no_place_in_requests_to_openai() -> None:
    """It is never presented as the model's own words."""
    back(
        telling([SIGNED, {"type": "redacted_thinking", "data": "b3BhcXVl"}, text("a")]),
        telling("a"),
        f"{FIRST} dropped (content)",
        "messages/0/content/1 dropped (content)",
    )


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_thinking_without_signature_has_no_place_at_anthropic(field: str) -> None:
    """Anthropic refuses thinking that it didn't sign."""
    forth(telling("a", **{field: "Hm."}), telling("a"), f"{FIRST} dropped (content)")


def test_a_signature_of_anthropic_comes_home() -> None:
    """Compatible servers support it: thinking with its own signature is thinking again."""
    forth(telling("a", thinking_blocks=[SIGNED]), telling([SIGNED, text("a")]))


def test_a_signature_that_another_made_is_of_no_use() -> None:
    """It would be refused, and thinking without a signature isn't supported."""
    signed = {"type": "reasoning.text", "text": "Hm.", "signature": "c2lnbmVk", "format": "google-gemini-v1"}
    forth(telling("a", reasoning_details=[signed]), telling("a"), f"{FIRST} dropped (content)")


def test_thinking_may_be_text_in_tags() -> None:
    """By option thinking becomes text, marked as thinking."""
    said = telling([text("<thinking>Hm.</thinking>"), text("a")])
    changed = f"{FIRST} changed (content)"
    converts(telling([SIGNED, text("a")]), "anthropic", am.get_codec("openai", thinking="text"), said, changed)
    converts(telling("a", reasoning="Hm."), "openai", am.get_codec("anthropic", thinking="text"), said, changed)


def test_thinking_may_stand_in_a_field_of_compatible_servers() -> None:
    """If the field can't hold a signature, only that is lost: its provider needs it back."""
    field = am.get_codec("openai", thinking="reasoning_content")
    lost = f"{FIRST}/signature dropped (content)"
    converts(telling([SIGNED, text("a")]), "anthropic", field, telling("a", reasoning_content="Hm."), lost, types=False)
    blocks = am.get_codec("openai", thinking="thinking_blocks")
    converts(telling([SIGNED, text("a")]), "anthropic", blocks, telling("a", thinking_blocks=[SIGNED]), types=False)


# -- refusals, and what only one side knows ---------------------------------------------------------------------------


@pytest.mark.parametrize("message", [telling(None, refusal="No."), telling([{"type": "refusal", "refusal": "No."}])])
def test_a_refusal_is_text(message: dict[str, Any]) -> None:
    """Anthropic has no refusals in requests: the model reads that it refused."""
    forth(message, telling("No."), f"{FIRST} changed (content)")


def test_an_unknown_part_is_dropped() -> None:
    """An unknown block can be written only in its own format."""
    stranger = {"type": "hologram", "data": 1}
    into = {"messages": [{"role": "user", "content": "a"}]}
    forth(asking(text("a"), stranger), into, "messages/0/content/1 dropped (content)")
    back(asking(text("a"), stranger), into, "messages/0/content/1 dropped (content)")


def test_a_message_of_an_unknown_role_is_the_text_that_it_has() -> None:
    """It becomes a user's message: its sender is unknown."""
    critic = {"messages": [{"role": "critic", "content": "Weak."}]}
    into = {"messages": [{"role": "user", "content": "Weak."}]}
    account = ("messages/0/role changed (content)", f"{FIRST} changed (content)")
    forth(critic, into, *account)
    back(critic, into, *account)


def test_names_are_dropped() -> None:
    """Anthropic's messages have none."""
    forth(
        {"messages": [{**ASK, "name": "Ann"}, {"role": "assistant", "content": "a", "name": "Bot"}]},
        {"messages": [ASK, {"role": "assistant", "content": "a"}]},
        "messages/0/name dropped (annotation)",
        "messages/1/name dropped (annotation)",
    )


@pytest.mark.parametrize("target", ["anthropic", "openai"])
def test_what_requests_have_no_place_for_is_an_annotation(target: am.CodecName) -> None:
    """Ids, metadata, models, usage and finish reasons aren't part of a request or a prompt."""
    said = am.Msg(
        *("assistant", "a"), id="m1", created_at=None, metadata={"k": 1}, model="m", finish_reason="stop",
        usage=am.Usage(input=1),
    )  # fmt: skip
    losses: list[am.Loss] = []
    assert am.encode([said], target, losses=losses) == telling("a")
    fields = ("id", "model", "metadata", "usage", "finish_reason")
    assert account_of(losses) == [f"messages/0/{field} dropped (annotation)" for field in fields]


# -- caches -----------------------------------------------------------------------------------------------------------


def test_cache_hints_are_translated() -> None:
    """A breakpoint is a breakpoint, if neither has a duration."""
    both(
        asking(text("a", prompt_cache_breakpoint={"mode": "explicit"})),
        asking(text("a", cache_control={"type": "ephemeral"})),
    )


@pytest.mark.parametrize(
    ("source", "ttl", "target", "nearest"),
    [
        *(("openai", "30m", "anthropic", "1h"), ("openai", "12h", "anthropic", "1h")),
        *(("anthropic", "5m", "openai", "30m"), ("anthropic", "1h", "openai", "30m")),
    ],
)
def test_the_time_of_a_cache_is_the_nearest(source: am.CodecName, ttl: str, target: am.CodecName, nearest: str) -> None:
    """Neither has the other's durations."""

    def hinted(codec: str, time: str) -> dict[str, Any]:
        if codec == "openai":
            return asking(text("a", prompt_cache_breakpoint={"mode": "explicit", "ttl": time}))
        return asking(text("a", cache_control={"type": "ephemeral", "ttl": time}))

    converts(hinted(source, ttl), source, target, hinted(target, nearest), f"{FIRST}/cache changed (annotation)")


def test_the_cache_control_of_compatible_servers_is_anthropics() -> None:
    """It came from there: nothing is lost."""
    hinted = asking(text("a", cache_control={"type": "ephemeral", "ttl": "1h"}))
    forth(hinted, hinted)


def test_a_cache_hint_on_a_call_or_tool_has_no_place_at_openai() -> None:
    """Breakpoints belong to parts."""
    hint = {"cache_control": {"type": "ephemeral"}}
    schema = {"type": "object"}
    use = {"type": "tool_use", "id": "1", "name": "add", "input": {}, **hint}
    call = {"id": "1", "type": "function", "function": {"name": "add", "arguments": "{}"}}
    back(
        {**telling([use]), "tools": [{"name": "add", "input_schema": schema, **hint}]},
        {
            **telling(None, tool_calls=[call]),
            "tools": [{"type": "function", "function": {"name": "add", "parameters": schema}}],
        },
        f"{FIRST}/cache dropped (annotation)",
        "tools/0/cache dropped (annotation)",
    )


# -- the provider's own actions ---------------------------------------------------------------------------------------

SEARCH = {"type": "server_tool_use", "id": "srv_1", "name": "web_search", "input": {"query": "night"}}
HIT = {"type": "web_search_result", "title": "Night", "url": "https://example.com", "encrypted_content": "eA=="}
FOUND = {"type": "web_search_tool_result", "tool_use_id": "srv_1", "content": [HIT]}
CALLED = '<server_tool_call name="web_search">{"query":"night"}</server_tool_call>'
RETURNED = '<server_tool_result name="web_search">Night https://example.com</server_tool_result>'
NO_PLACE = (f"{FIRST} changed (content)", "messages/0/content/1 changed (content)")


def test_a_server_tool_is_tagged_text() -> None:
    """Calls that Anthropic ran for the model become text: OpenAI's messages can't hold them."""
    back(telling([SEARCH, FOUND]), telling([text(CALLED), text(RETURNED)]), *NO_PLACE)


def test_a_result_of_a_server_tool_that_says_nothing_is_dropped() -> None:
    """There is no text to tag."""
    empty: dict[str, Any] = {"type": "web_search_tool_result", "tool_use_id": "srv_1", "content": []}
    lost = "messages/0/content/1 dropped (content)"
    back(telling([SEARCH, empty]), telling(CALLED), f"{FIRST} changed (content)", lost)


def test_a_tool_of_an_mcp_server_is_tagged_text() -> None:
    """The same goes for tools that Anthropic calls on other servers."""
    use = {"type": "mcp_tool_use", "id": "m1", "name": "echo", "server_name": "s", "input": {"x": 1}}
    result = {"type": "mcp_tool_result", "tool_use_id": "m1", "is_error": False, "content": [text("1")]}
    said = [
        text('<server_tool_call name="echo">{"x":1}</server_tool_call>'),
        text('<server_tool_result name="">1</server_tool_result>'),
    ]
    back(telling([use, result]), telling(said), *NO_PLACE)


def test_a_summary_is_text() -> None:
    """A summary of earlier messages becomes an assistant's text."""
    back(telling([{"type": "compaction", "content": "We met."}]), telling("We met."), f"{FIRST} changed (content)")


def test_citations_have_no_place_in_requests_of_the_other() -> None:
    """OpenAI's requests have none; Anthropic's need a proof that only Anthropic issues."""
    cited = {"type": "web_search_result_location", "url": "https://example.com", "title": "Night"}
    whole = text("It is dark.", citations=[{**cited, "encrypted_index": "eA==", "cited_text": "dark"}])
    lost = f"{FIRST}/citations dropped (annotation)"
    back(telling([whole]), telling("It is dark."), lost)
    url = {"start_index": 6, "end_index": 10, "title": "Night", "url": "https://example.com"}
    noted = telling("It is dark.", annotations=[{"type": "url_citation", "url_citation": url}])
    forth(noted, telling("It is dark."), lost)
