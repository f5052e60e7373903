"""The names of the OpenAI codecs, apart from fields of the model."""

from __future__ import annotations

FAMILY = "openai"
# Namespaces in extras: of the object inside an object (the `function` of a call, the `image_url` of a part), of the
# two details of usage, and of what lies around the message of a response.
ITEM = "openai.item"
INPUT = "openai.input"
OUTPUT = "openai.output"
# Under this name a response's message keeps how it was spelt: requests have other spellings.
MESSAGE = "openai.message"
CHOICE = "openai.choice"
RESPONSE = "openai.response"
CHOICES = "openai.choices"

# The fields of compatible servers for what a model thought; in this order they are read, the fullest first.
REASONING_KEYS = ("reasoning_details", "thinking_blocks", "reasoning_content", "reasoning")

# What a model would read or could do, beside what goes by such words everywhere; and further choices of a response.
_WORDS = "custom document file function further image_url input_audio tool_plan video_url"
CONTENT_KEYS = frozenset({*REASONING_KEYS, *_WORDS.split()})

# Who signs the thinking that is a part of content.
MAKER_OF_PARTS = "mistral"

# The finish reasons of the schema, and ours; a call of old has a word of its own, which says the same.
FINISH = {
    "stop": "stop",
    "length": "length",
    "tool_calls": "tool_use",
    "content_filter": "content_filter",
    "function_call": "tool_use",
}
FINISH_WORDS = {"stop": "stop", "length": "length", "tool_use": "tool_calls", "content_filter": "content_filter"}
# What other providers say, and the nearest reason that there is; of any other word it is "stop".
NEAREST_FINISH = {
    "refusal": "content_filter",
    "model_context_window_exceeded": "length",
}
