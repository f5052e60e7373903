"""The family, its namespaces, and the words of the schema."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

FAMILY = "gemini"
# Who signs thoughts and runs tools.
PROVIDER = "google"
# Extras of the object inside a part; the keys around the content of a response.
ITEM, CANDIDATE, RESPONSE = "gemini.item", "gemini.candidate", "gemini.response"
# Candidates after the first, which is the message.
FURTHER = "gemini.candidates"
CODE = "code_execution"
SIGNATURE = "thoughtSignature"
# The keys whose object makes a part, and the keys in that object.
INNER: Mapping[str, tuple[str, ...]] = {
    "inlineData": ("mimeType", "data", "displayName"),
    "fileData": ("mimeType", "fileUri", "displayName"),
    "functionCall": ("id", "name", "args"),
    "functionResponse": ("id", "name", "response", "parts"),
    "executableCode": ("id", "language", "code"),
    "codeExecutionResult": ("id", "outcome", "output"),
    "toolCall": ("id", "toolType", "args"),
    "toolResponse": ("id", "toolType", "response"),
}
DATA = frozenset({"text", *INNER})
OUTCOMES = {"OUTCOME_OK": "success", "OUTCOME_FAILED": "error", "OUTCOME_DEADLINE_EXCEEDED": "interrupted"}
SYSTEM = "systemInstruction"
# The objects with parameters of a body, and the keys inside each.
CONFIG, TOOL_CONFIG = "generationConfig", "toolConfig"
MIME, SCHEMAS = "responseMimeType", ("responseJsonSchema", "responseSchema")
IN_CONFIG = {
    CONFIG: (
        "maxOutputTokens", "temperature", "topP", "topK", "stopSequences", "seed", MIME, *SCHEMAS, "thinkingConfig",
    ),
    TOOL_CONFIG: ("functionCallingConfig",),
    "thinkingConfig": ("thinkingBudget", "thinkingLevel", "includeThoughts"),
    "functionCallingConfig": ("mode", "allowedFunctionNames"),
}  # fmt: skip


@cache
def snake(name: str) -> str:
    """Return the snake_case spelling of a key, which the API accepts too."""
    return "".join(f"_{letter.lower()}" if "A" <= letter <= "Z" else letter for letter in name)


def both(names: Iterable[str]) -> frozenset[str]:
    """Return keys in both spellings."""
    return frozenset(spelt for name in names for spelt in (name, snake(name)))


# Keys that the model has no field for.
KEPT = (
    "avgLogprobs", "citationMetadata", "finishMessage", "groundingMetadata", "logprobsResult", "mediaResolution",
    "modelStatus", "partMetadata", "promptFeedback", "safetyRatings", "tokenCount", "urlContextMetadata",
    "videoMetadata",
)  # fmt: skip
# The keys that SDKs take in one object: those of a body, and those of its ``generationConfig``.
TOP_KEYS = both((
    SYSTEM, "tools", TOOL_CONFIG, "cachedContent", "continuationToken", "labels", "safetySettings", "serviceTier",
    "store",
))  # fmt: skip
SETTING_KEYS = both((
    *IN_CONFIG[CONFIG], "audioTimestamp", "candidateCount", "enableEnhancedCivicAnswers", "frequencyPenalty",
    "imageConfig", "logprobs", "mediaResolution", "modelSelectionConfig", "presencePenalty", "responseLogprobs",
    "responseModalities", "routingConfig", "speechConfig",
))  # fmt: skip
# The keys of a body that are messages and tools.
BODY_KEYS = both(("contents", SYSTEM, "tools"))
OUTER_KEYS = both((*DATA, "thought", SIGNATURE))
