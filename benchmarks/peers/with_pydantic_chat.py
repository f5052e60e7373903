"""pydantic: OpenAI Chat's request body as models, its messages and parts once as tagged unions, once as plain ones."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

__all__ = ["Tagged", "Untagged"]


class Open(BaseModel):
    """Shared by all: unknown keys are kept, as in agentmsg."""

    model_config = ConfigDict(extra="allow")


class Function(Open):
    """A function and its arguments."""

    name: str
    arguments: str


class FunctionCall(Open):
    """A call of a function."""

    id: str
    type: Literal["function"]
    function: Function


class Custom(Open):
    """A tool that takes text."""

    name: str
    input: str


class CustomCall(Open):
    """A call of such a tool."""

    id: str
    type: Literal["custom"]
    custom: Custom


class TextPart(Open):
    """Text."""

    type: Literal["text"]
    text: str


class ImageURL(Open):
    """A reference to an image."""

    url: str
    detail: Literal["auto", "low", "high"] | None = None


class ImagePart(Open):
    """An image."""

    type: Literal["image_url"]
    image_url: ImageURL


class Sound(Open):
    """Sound as base64."""

    data: str
    format: Literal["wav", "mp3"]


class SoundPart(Open):
    """Sound."""

    type: Literal["input_audio"]
    input_audio: Sound


class Document(Open):
    """A document."""

    file_id: str | None = None
    file_data: str | None = None
    filename: str | None = None


class FilePart(Open):
    """A document."""

    type: Literal["file"]
    file: Document


class RefusalPart(Open):
    """A refusal."""

    type: Literal["refusal"]
    refusal: str


_Part = TextPart | ImagePart | SoundPart | FilePart
_TaggedPart = Annotated[_Part, Field(discriminator="type")]


class System(Open):
    """As in OpenAI's reference."""

    role: Literal["system"]
    content: str | list[TextPart]
    name: str | None = None


class Developer(Open):
    """As in OpenAI's reference."""

    role: Literal["developer"]
    content: str | list[TextPart]
    name: str | None = None


class TaggedUser(Open):
    """As in OpenAI's reference."""

    role: Literal["user"]
    content: str | list[_TaggedPart]
    name: str | None = None


class TaggedAssistant(Open):
    """As in OpenAI's reference."""

    role: Literal["assistant"]
    content: str | list[Annotated[TextPart | RefusalPart, Field(discriminator="type")]] | None = None
    name: str | None = None
    refusal: str | None = None
    function_call: Function | None = None
    tool_calls: list[Annotated[FunctionCall | CustomCall, Field(discriminator="type")]] | None = None


class User(Open):
    """The same with plain unions."""

    role: Literal["user"]
    content: str | list[_Part]
    name: str | None = None


class Assistant(Open):
    """The same with plain unions."""

    role: Literal["assistant"]
    content: str | list[TextPart | RefusalPart] | None = None
    name: str | None = None
    refusal: str | None = None
    function_call: Function | None = None
    tool_calls: list[FunctionCall | CustomCall] | None = None


class Tool(Open):
    """As in OpenAI's reference."""

    role: Literal["tool"]
    content: str | list[TextPart]
    tool_call_id: str


class Tagged(Open):
    """A request body with tagged unions."""

    messages: list[Annotated[System | Developer | TaggedUser | TaggedAssistant | Tool, Field(discriminator="role")]]
    tools: list[dict[str, Any]] | None = None


class Untagged(Open):
    """A request body with plain unions."""

    messages: list[System | Developer | User | Assistant | Tool]
    tools: list[dict[str, Any]] | None = None
