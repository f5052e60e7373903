"""The family, its namespaces, and the words of the schema."""

from __future__ import annotations

FAMILY = "bedrock"
# Who signs reasoning and runs tools: any of the models that Bedrock hosts.
PROVIDER = "bedrock"
# Whose redacted thinking goes back there, if its maker is known.
HOSTED = (PROVIDER, "anthropic")
# Extras of the object inside a part; the keys around the message of a response.
ITEM, RESPONSE = "bedrock.item", "bedrock.response"
# Extras of a text that a guardrail checks.
GUARD = "bedrock.guard"
POINT = "cachePoint"
# The key of a body that holds its tools.
CONFIG = "toolConfig"
S3 = "s3://"
# Keys of messages that Strands adds.
STRANDS = frozenset({"metadata", "tracking_id"})
TTLS = {"5m": 5, "1h": 60}
# The media types of Bedrock's formats.
IMAGES = {name: f"image/{name}" for name in ("png", "jpeg", "gif", "webp")}
SOUNDS = {
    name: f"audio/{name}"
    for name in (
        "mp3", "opus", "wav", "aac", "flac", "mp4", "ogg", "mkv", "mka", "x-aac", "m4a", "mpeg", "mpga", "pcm", "webm",
    )
}  # fmt: skip
VIDEOS = {
    **{name: f"video/{name}" for name in ("mp4", "webm", "mpeg", "mpg")},
    "mkv": "video/x-matroska", "mov": "video/quicktime", "flv": "video/x-flv", "wmv": "video/x-ms-wmv",
    "three_gp": "video/3gpp",
}  # fmt: skip
_OFFICE = "application/vnd.openxmlformats-officedocument"
DOCUMENTS = {
    "pdf": "application/pdf", "csv": "text/csv", "doc": "application/msword",
    "docx": f"{_OFFICE}.wordprocessingml.document", "xls": "application/vnd.ms-excel",
    "xlsx": f"{_OFFICE}.spreadsheetml.sheet", "html": "text/html", "txt": "text/plain", "md": "text/markdown",
}  # fmt: skip
# Other names of some of these types.
ALIASES = {
    "audio/x-wav": "audio/wav", "audio/wave": "audio/wav", "audio/x-m4a": "audio/m4a",
    "image/jpg": "image/jpeg", "text/x-markdown": "text/markdown",
}  # fmt: skip
