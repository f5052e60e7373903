"""Conversions whose content doesn't reach the framework's next request, by the client's reason."""

from __future__ import annotations

_BY_REASON: dict[str, tuple[str, ...]] = {
    "the client takes no addresses of files": (
        "langchain:openai again corpus/openai_chat/lingua__chatCompletionsGcsBackedVideoFileParam_chat-completions#0",
    ),
    "the client takes no ids of images": (
        "langchain:openai-responses again corpus/openai_responses/pydantic-ai__test_multimodal_tool_returns_test_multimodal_tool_return_matrix_direct-uploaded_file-image-openai_responses#1",
        "langchain-v1:openai-responses again corpus/openai_responses/pydantic-ai__test_multimodal_tool_returns_test_multimodal_tool_return_matrix_direct-uploaded_file-image-openai_responses#1",
    ),
    "the client's message holds bytes, which no document has: it is refused by name": (
        "langchain:gemini out corpus/gemini/lingua__responseModalitiesAudioParam_google#0",
        "langchain:bedrock out corpus/bedrock/pydantic-ai__test_bedrock_test_bedrock_model_thinking_part_redacted#0",
    ),
    "the client sends the result of any tool of Google's as that of code": (
        "langchain:gemini out corpus/gemini/pydantic-ai__test_google_test_google_model_file_search_grounding_gemini_3_False#0",
        "langchain:gemini out corpus/gemini/pydantic-ai__test_google_test_google_model_file_search_grounding_gemini_3_False#1",
        "langchain:gemini out corpus/gemini/pydantic-ai__test_thinking_native_tools_test_thinking_with_native_tool_wire_contract_google#0",
    ),
    "more arrives than the client itself keeps of the answer": (
        "langchain:openai into golden/openai_chat_response/04_refusal",
        "langchain-v1:openai-responses into corpus/openai_responses/pydantic-ai__test_openai_responses_test_openai_responses_model_web_search_tool_stream#1",
        "langchain:gemini into corpus/gemini/lingua__responseModalitiesAudioParam_google#0",
        "agentscope:gemini into corpus/gemini/lingua__responseModalitiesAudioParam_google#0",
    ),
    "the client strips a final newline": (
        "langchain:gemini into corpus/gemini/pydantic-ai__test_google_test_google_model_instructions#0",
    ),
    "the recorded base64 is cut short, and Google's client decodes it": (
        "langchain:gemini again corpus/gemini/pydantic-ai__test_multimodal_tool_returns_test_model_sees_multiple_images_google_vertex#1",
        "langchain:gemini again corpus/gemini/pydantic-ai__test_multimodal_tool_returns_test_multimodal_tool_return_matrix_direct-binary-image-google_vertex#2",
        "langchain:gemini again corpus/gemini/pydantic-ai__test_multimodal_tool_returns_test_multimodal_tool_return_matrix_tool_return_cont_22da29f4#2",
    ),
    "only the shape of the function's result differs: an error, data or media stand elsewhere in it": (
        "langchain:gemini again golden/gemini/04_parallel_no_ids#0",
        "langchain:gemini again golden/gemini/07_function_response_media#0",
        "agentscope:gemini again golden/gemini/04_parallel_no_ids#0",
        "agentscope:gemini again golden/gemini/07_function_response_media#0",
        "agentscope:gemini again golden/gemini/08_snake_case#0",
        "vercel:gemini again golden/gemini/08_snake_case#0",
        "vercel-ui:gemini again golden/gemini/08_snake_case#0",
    ),
    "the client's redacted reasoning is bytes, which no document holds": (
        "langchain:bedrock into corpus/bedrock/pydantic-ai__test_bedrock_test_bedrock_model_thinking_part_redacted#0",
    ),
    "the client sends the result of a tool that Nova ran as the user's": (
        "langchain:bedrock out corpus/bedrock/pydantic-ai__test_bedrock_test_bedrock_model_with_code_execution_tool#0",
    ),
    "the recorded bytes are a dump of JavaScript's": (
        "langchain:bedrock again corpus/bedrock/lingua__multimodalRequest_bedrock#0",
        "pydantic-ai:bedrock again corpus/bedrock/lingua__multimodalRequest_bedrock#0",
    ),
    "a cache hint is `cache_control`, of which the client makes no cache point": (
        "langchain:bedrock again corpus/bedrock/pydantic-ai__test_bedrock_test_bedrock_cache_point_adds_cache_control_claude-sonnet-4-5#0",
        "langchain:bedrock again golden/bedrock/07_cache_guard#0",
    ),
    "the client takes an unclosed <think> for thinking": (
        "pydantic-ai:openai into corpus/openai_chat/pydantic-ai__test_huggingface_test_max_completion_tokens#0",
    ),
    "the client fetches gs:// addresses, which name no server": (
        "pydantic-ai:openai again corpus/openai_chat/lingua__chatCompletionsGcsBackedVideoFileParam_chat-completions#0",
        "pydantic-ai:gemini again corpus/gemini/pydantic-ai__test_multimodal_tool_returns_test_multimodal_tool_return_matrix_direct-uploaded_file-audio-google_vertex#2",
        "pydantic-ai:gemini again golden/gemini/02_media#0",
        "agentscope:gemini again corpus/gemini/pydantic-ai__test_multimodal_tool_returns_test_multimodal_tool_return_matrix_direct-uploaded_file-audio-google_vertex#2",
    ),
    "the client sends no reasoning that is empty": (
        "pydantic-ai:openai-responses again corpus/openai_responses/lingua__textFormatJsonObjectParam_responses#2",
    ),
    "the client names files itself": (
        "pydantic-ai:openai-responses again golden/openai_responses/05_tool_output_multimodal#0",
        "pydantic-ai:bedrock again corpus/bedrock/lingua__bedrockDocumentCitationStreamingParam_bedrock#0",
    ),
    "the client sends unsigned reasoning as the user's text, in tags": (
        "pydantic-ai:bedrock out corpus/bedrock/pydantic-ai__test_bedrock_test_bedrock_model_thinking_part_deepseek#0",
        "pydantic-ai:bedrock out corpus/bedrock/pydantic-ai__test_bedrock_test_bedrock_thinking_true_openai_variant#0",
    ),
    "JSON in a result is sent as text": (
        "pydantic-ai:bedrock again golden/bedrock/04_tool#0",
    ),
    "the client sends no files by address": (
        "agentscope:openai again corpus/openai_chat/lingua__chatCompletionsGcsBackedVideoFileParam_chat-completions#0",
    ),
    "the recorded id of the call is empty": (
        "vercel:openai into corpus/openai_chat/pydantic-ai__test_openai_test_compatible_api_with_tool_calls_without_id#0",
        "vercel-ui:openai into corpus/openai_chat/pydantic-ai__test_openai_test_compatible_api_with_tool_calls_without_id#0",
    ),
    "the SDK takes no addresses of files": (
        "vercel:openai again corpus/openai_chat/lingua__chatCompletionsGcsBackedVideoFileParam_chat-completions#0",
        "vercel-ui:openai again corpus/openai_chat/lingua__chatCompletionsGcsBackedVideoFileParam_chat-completions#0",
    ),
    "with store, the SDK sends items by reference, and nothing without an id": (
        "vercel-stored:openai-responses again corpus/openai_responses/pydantic-ai__test_openai_responses_test_openai_responses_compact_messages#3",
        "vercel-stored:openai-responses again corpus/openai_responses/pydantic-ai__test_openai_responses_test_openai_responses_compact_stateful_mode#3",
        "vercel-stored:openai-responses again golden/openai_responses/04_reasoning_tool_loop#0",
    ),
    "it arrives: JavaScript's 1 is JSON's 1.0": (
        "vercel:gemini again golden/gemini/02_media#0",
        "vercel-ui:gemini again golden/gemini/02_media#0",
    ),
    "a result of a server's tool without its call has no part": (
        "vercel-ui:anthropic into corpus/anthropic/pydantic-ai__anthropic_test_unpaired_native_tool_calls_test_in_flight_native_tool_call_history_is_accepted#0",
    ),
    "the SDK cuts the media type of a data URL at the first semicolon": (
        "vercel-ui:gemini into corpus/gemini/lingua__responseModalitiesAudioParam_google#0",
    ),
}  # fmt: skip
# ruff: noqa: E501 - names of recorded documents
LEFT = {title: reason for reason, titles in _BY_REASON.items() for title in titles}
