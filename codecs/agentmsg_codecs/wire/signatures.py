"""Google's thought signatures, as its API and the clients that send them have them."""

from __future__ import annotations

from agentmsg.formats import media

# Gemini accepts this instead of a signature for calls that it didn't make.
UNSIGNED = "skip_thought_signature_validator"


def usual_signature(value: str) -> str:
    """Return a signature as its text is read: clients decode base64's standard alphabet only, padded."""
    return value if value == UNSIGNED else media.standard_base64(value)
