"""Responses between OpenAI and Anthropic, case by case: ids, usage, finish reasons, citations; responses in requests.

Each case has the exact document in the other format, the exact losses, and the source again; see ``converts``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from support.conversions import converts

if TYPE_CHECKING:
    import agentmsg as am

CREATED = 1_700_000_000
COUNTED = {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}
SPENT = {"input_tokens": 3, "output_tokens": 2}
# Lost by every response: the time, and the total usage.
TIME_DROPPED, TIME_MADE = "messages/0/created_at dropped (annotation)", "messages/0/created_at invented (annotation)"
USAGE = "messages/0/usage changed (annotation)"
# Another provider answers, and one of them has several APIs.
BY_WHOM = "messages/0/provider changed (annotation)"
API_DROPPED, API_MADE = "messages/0/api dropped (annotation)", "messages/0/api invented (annotation)"
FIRST = "messages/0/content/0"


def choice(content: str | None, reason: str = "stop", **message: Any) -> dict[str, Any]:
    """Return the only choice of an OpenAI response."""
    said = {"role": "assistant", "content": content, "refusal": None, **message}
    return {"index": 0, "finish_reason": reason, "logprobs": None, "message": said}


def openai(only: dict[str, Any], created: int = CREATED, **more: Any) -> dict[str, Any]:
    """Return an OpenAI response."""
    around = {"id": "a1", "object": "chat.completion", "created": created, "model": "m"}
    return {**around, "choices": [only], "usage": COUNTED, **more}


def anthropic(*content: dict[str, Any], reason: str = "end_turn", **more: Any) -> dict[str, Any]:
    """Return an Anthropic response."""
    around = {"id": "a1", "type": "message", "role": "assistant", "model": "m", "content": list(content)}
    return {**around, "stop_reason": reason, "stop_sequence": None, "usage": SPENT, **more}


def text(words: str, **more: Any) -> dict[str, Any]:
    """Return an Anthropic text block."""
    return {"type": "text", "text": words, **more}


def forth(document: dict[str, Any], into: dict[str, Any], time: str, *account: str) -> am.Conversion:
    """Check the conversion of an OpenAI response to Anthropic."""
    return converts(document, "openai-response", "anthropic-response", into, time, BY_WHOM, API_DROPPED, *account)


def back(document: dict[str, Any], into: dict[str, Any], time: str, *account: str) -> am.Conversion:
    """Check the conversion of an Anthropic response to OpenAI."""
    return converts(document, "anthropic-response", "openai-response", into, time, BY_WHOM, API_MADE, *account)


# -- keys around the message ------------------------------------------------------------------------------------------


def test_an_answer_keeps_its_id_its_model_and_its_words() -> None:
    """Anthropic lacks only the time, and the total of tokens, which OpenAI states."""
    made = forth(openai(choice("Hi")), anthropic(text("Hi")), TIME_DROPPED, USAGE)
    assert (made.losses[3].was.total, made.losses[3].now.total) == (5, None)


def test_what_openai_requires_is_made() -> None:
    """An OpenAI response has a time and a total: the loss report shows that both were absent."""
    made = back(anthropic(text("Hi")), openai(choice("Hi"), created=0), TIME_MADE, USAGE)
    assert (made.losses[3].was.total, made.losses[3].now.total) == (None, 5)


def test_what_was_read_from_a_cache_is_part_of_the_input_at_openai() -> None:
    """Anthropic counts it beside the input; the paid sum stays the same."""
    spent = {"input_tokens": 3, "cache_creation_input_tokens": 1, "cache_read_input_tokens": 4, "output_tokens": 2}
    details = {"cached_tokens": 4, "cache_write_tokens": 1}
    counted = {"prompt_tokens": 8, "completion_tokens": 2, "total_tokens": 10, "prompt_tokens_details": details}
    ours, theirs = openai(choice("Hi"), usage=counted), anthropic(text("Hi"), usage=spent)
    back(theirs, {**ours, "created": 0}, TIME_MADE, USAGE)
    forth(ours, theirs, TIME_DROPPED, USAGE)


def test_what_was_thought_is_part_of_the_output() -> None:
    """Both count thinking as output, and state its share."""
    counted = {**COUNTED, "completion_tokens_details": {"reasoning_tokens": 1}}
    spent = {**SPENT, "output_tokens_details": {"thinking_tokens": 1}}
    forth(openai(choice("Hi"), usage=counted), anthropic(text("Hi"), usage=spent), TIME_DROPPED, USAGE)


def test_an_answer_without_usage_is_told_to_have_cost_nothing() -> None:
    """Anthropic's schema requires the counts; the loss report shows that they were made."""
    document = openai(choice("Hi"))
    del document["usage"]
    nothing = {"input_tokens": 0, "output_tokens": 0}
    invented = "messages/0/usage invented (annotation)"
    forth(document, anthropic(text("Hi"), usage=nothing), TIME_DROPPED, invented)


def test_what_openai_says_of_its_servers_is_dropped() -> None:
    """Fingerprints and tiers aren't part of the message."""
    document = openai(choice("Hi"), system_fingerprint="fp", service_tier="default")
    lost = "messages/0/response_metadata dropped (annotation)"
    forth(document, anthropic(text("Hi")), TIME_DROPPED, lost, USAGE)


@pytest.mark.parametrize(("ours", "theirs"), [("stop", "end_turn"), ("length", "max_tokens")])
def test_reasons_to_finish_are_translated(ours: str, theirs: str) -> None:
    """Each has its own word for the same."""
    forth(openai(choice("Hi", ours)), anthropic(text("Hi"), reason=theirs), TIME_DROPPED, USAGE)
    back(anthropic(text("Hi"), reason=theirs), openai(choice("Hi", ours), created=0), TIME_MADE, USAGE)


def test_a_stop_sequence_is_a_stop() -> None:
    """OpenAI can't hold that it was one, and which: the loss report has both."""
    lost = "messages/0/response_metadata dropped (annotation)"
    changed = "messages/0/finish_reason changed (annotation)"
    document = anthropic(text("Hi"), reason="stop_sequence", stop_sequence="END")
    back(document, openai(choice("Hi"), created=0), TIME_MADE, lost, USAGE, changed)


def test_a_full_context_window_is_a_length() -> None:
    """OpenAI's nearest word means less, which is reported."""
    changed = "messages/0/finish_reason changed (annotation)"
    document = anthropic(text("Hi"), reason="model_context_window_exceeded")
    back(document, openai(choice("Hi", "length"), created=0), TIME_MADE, USAGE, changed)


def test_a_reason_that_openai_does_not_know_is_a_stop() -> None:
    """The response isn't finished, but OpenAI has no word for that."""
    changed = "messages/0/finish_reason changed (annotation)"
    document = anthropic(text("Hi"), reason="pause_turn")
    back(document, openai(choice("Hi"), created=0), TIME_MADE, USAGE, changed)


def test_a_filtered_answer_is_a_refusal_at_anthropic() -> None:
    """The nearest words of both don't mean the same, which is reported."""
    changed = "messages/0/finish_reason changed (annotation)"
    ours, theirs = choice("", "content_filter"), anthropic(reason="refusal")
    forth(openai(ours), theirs, TIME_DROPPED, USAGE, changed)
    back(theirs, openai(ours, created=0), TIME_MADE, USAGE, changed)


# -- the message ------------------------------------------------------------------------------------------------------


def test_calls_are_calls() -> None:
    """A response that calls tools has the same calls in the other format."""
    call = {"id": "1", "type": "function", "function": {"name": "add", "arguments": '{"x":1}'}}
    use = {"type": "tool_use", "id": "1", "name": "add", "input": {"x": 1}}
    ours = choice("Wait.", "tool_calls", tool_calls=[call])
    theirs = anthropic(text("Wait."), use, reason="tool_use")
    forth(openai(ours), theirs, TIME_DROPPED, USAGE)
    back(theirs, openai(ours, created=0), TIME_MADE, USAGE)


def test_invalid_arguments_of_an_answer_travel_in_an_envelope() -> None:
    """Invalid text of a model is passed on byte for byte."""
    call = {"id": "1", "type": "function", "function": {"name": "add", "arguments": '{"x": '}}
    use = {"type": "tool_use", "id": "1", "name": "add", "input": {"_raw": '{"x": '}}
    ours = choice(None, "tool_calls", tool_calls=[call])
    theirs = anthropic(use, reason="tool_use")
    forth(openai(ours), theirs, TIME_DROPPED, USAGE)
    back(theirs, openai(ours, created=0), TIME_MADE, USAGE)


def test_a_refusal_is_text() -> None:
    """Anthropic marks a refusal by its stop reason, and holds its words only as text."""
    ours = choice(None, refusal="No.")
    forth(openai(ours), anthropic(text("No.")), TIME_DROPPED, USAGE, f"{FIRST} changed (content)")


def test_thinking_has_no_place_in_answers_of_openai() -> None:
    """It is never presented as the model's own words."""
    thought = {"type": "thinking", "thinking": "Hm.", "signature": "c2lnbmVk"}
    lost = f"{FIRST} dropped (content)"
    back(anthropic(thought, text("Hi")), openai(choice("Hi"), created=0), TIME_MADE, USAGE, lost)


def test_texts_beside_each_other_are_one_text_at_openai() -> None:
    """The content of a response is one text there; not a word is lost."""
    back(
        *(anthropic(text("H"), text("i")), openai(choice("Hi"), created=0), TIME_MADE, USAGE),
        *(f"{FIRST}/text changed (annotation)", "messages/0/content/1 merged (annotation)"),
    )


def test_sound_is_its_transcript() -> None:
    """Anthropic has no sound: the words remain."""
    sound = {"id": "s1", "data": "UklGRg==", "expires_at": CREATED, "transcript": "Hello."}
    changed = f"{FIRST} changed (content)"
    forth(openai(choice(None, audio=sound)), anthropic(text("Hello.")), TIME_DROPPED, USAGE, changed)


# -- citations --------------------------------------------------------------------------------------------------------

LOCATION = {
    "type": "web_search_result_location",
    "url": "https://example.com",
    "title": "Night",
    "encrypted_index": "eA==",
    "cited_text": "dark",
}


def noted(start: int, end: int) -> dict[str, Any]:
    """Return OpenAI's annotation that cites the same page."""
    place = {"start_index": start, "end_index": end, "title": "Night", "url": "https://example.com"}
    return {"type": "url_citation", "url_citation": place}


def test_a_cited_page_is_an_annotation_of_the_text_that_cites_it() -> None:
    """Anthropic cites by block, OpenAI by characters of the whole text: places are converted."""
    back(
        anthropic(text("It is "), text("dark", citations=[LOCATION])),
        openai(choice("It is dark", annotations=[noted(6, 10)]), created=0),
        *(TIME_MADE, USAGE, f"{FIRST}/text changed (annotation)", f"{FIRST}/citations changed (annotation)"),
        "messages/0/content/1 merged (annotation)",
    )


def test_an_annotation_has_no_place_at_anthropic() -> None:
    """A citation there needs a proof that only Anthropic issues; the words stay."""
    document = openai(choice("It is dark", annotations=[noted(6, 10)]))
    lost = f"{FIRST}/citations dropped (annotation)"
    forth(document, anthropic(text("It is dark")), TIME_DROPPED, USAGE, lost)


def test_a_citation_of_a_document_has_no_place_at_openai() -> None:
    """OpenAI's responses cite only pages."""
    place = {"document_index": 0, "document_title": "Novel", "start_char_index": 1, "end_char_index": 4}
    cited = text("Dark", citations=[{"type": "char_location", **place, "cited_text": "dar"}])
    lost = f"{FIRST}/citations dropped (annotation)"
    back(anthropic(cited), openai(choice("Dark"), created=0), TIME_MADE, USAGE, lost)


# -- responses in requests --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "document", "target"),
    [("openai-response", openai(choice("Hi")), "anthropic"), ("anthropic-response", anthropic(text("Hi")), "openai")],
)
def test_an_answer_is_the_next_message_of_a_request(source: am.CodecName, document: Any, target: am.CodecName) -> None:
    """Fields that a request lacks are annotations; all content is there."""
    converts(
        *(document, source, target, {"messages": [{"role": "assistant", "content": "Hi"}]}),
        "messages/0/id dropped (annotation)",
        *([TIME_DROPPED] if source == "openai-response" else []),
        *(f"messages/0/{field} dropped (annotation)" for field in ("model", "provider")),
        *([API_DROPPED] if source == "openai-response" else []),
        *(f"messages/0/{field} dropped (annotation)" for field in ("usage", "finish_reason")),
    )
