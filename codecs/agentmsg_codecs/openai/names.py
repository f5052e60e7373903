"""The names of the OpenAI codecs, apart from fields of the model."""

from __future__ import annotations

FAMILY = "openai"
# Namespaces in extras: of an inner object (the `function` of a call, the `image_url` of a part), of the details of
# usage, and of everything around the message of a response.
ITEM = "openai.item"
INPUT = "openai.input"
OUTPUT = "openai.output"
COST = "openai.cost"
CHOICE = "openai.choice"
RESPONSE = "openai.response"
CHOICES = "openai.choices"
# The namespace in notes for the spellings of a response's message: requests have others.
MESSAGE = "openai.message"

# Where rows of training data have a rejected answer.
PAIRED = "hf"

# The role of DeepSeek's templates for instructions that come with the latest message of a user.
REMINDER = "latest_reminder"

# The key for images beside the content of a message.
IMAGES = "images"

# The fields of compatible servers for a model's thinking, in reading order: the fullest first.
REASONING_KEYS = ("reasoning_details", "thinking_blocks", "reasoning_content", "reasoning", "reasoning_text")

# Further keys with content for the model, or with its abilities; and further choices of a response.
_WORDS = "custom document file function further image_url input_audio tool_plan video_url"
CONTENT_KEYS = frozenset({*REASONING_KEYS, IMAGES, *_WORDS.split()})


# Finish reasons of the schema, and ours; an old call has a word of its own.
FINISH = {
    "stop": "stop",
    "length": "length",
    "tool_calls": "tool_use",
    "content_filter": "content_filter",
    "function_call": "tool_use",
}
FINISH_WORDS = {ours: word for word, ours in FINISH.items() if word != "function_call"}
# The nearest reason for words of other providers; for any other word it is "stop".
NEAREST_FINISH = {
    "refusal": "content_filter",
    "model_context_window_exceeded": "length",
}
