"""A server that plays providers, on this machine only: a model that calls its tools once, and then speaks.

It reads requests and writes answers by the codecs, streams included, so that clients of the real SDKs can be run
without a provider.
"""

from __future__ import annotations

import json
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING, Any

import agentmsg as am

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    Answer = Callable[[am.History], am.Msg | bytes]

__all__ = ["playing"]

_CODECS: dict[str, am.CodecName] = {"messages": "anthropic", "completions": "openai", "responses": "openai-responses"}


def _speaks(history: am.History) -> am.Msg:
    """Call the first tool if nobody has, with Lisbon for each parameter; then say what the result was."""
    last = history[-1]
    usage, model = am.Usage(input=5, output=9, total=14), history.settings.model if history.settings else None
    tools = [tool for tool in history.tools if isinstance(tool, am.ToolSpec)]
    if tools and not last.tool_results:
        tool = tools[0]
        schema: Any = tool.parameters
        arguments: dict[str, str] = dict.fromkeys(schema["properties"], "Lisbon")
        call = am.ToolUseBlock(f"call_{len(history)}", tool.name, arguments)
        return am.Msg("assistant", [call], id="msg_1", model=model, usage=usage, finish_reason="tool_use")
    said = last.tool_results[0].text if last.tool_results else "Hello!"
    return am.Msg.assistant(said, id="msg_1", model=model, usage=usage, finish_reason="stop")


class _Handler(BaseHTTPRequestHandler):
    """Answers one request."""

    answer: Any

    def do_POST(self) -> None:
        """Read a request by its path, and write the answer as the provider does."""
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        path = self.path.partition("?")[0]
        codec = _CODECS.get(path.rpartition("/")[2], "gemini")
        is_stream = body.get("stream") is True or path.endswith(":streamGenerateContent")
        answer = type(self).answer(am.decode(body, codec))
        if isinstance(answer, bytes):
            raw = answer
        elif is_stream:
            raw = b"".join(am.stream.sse(am.emit(answer, codec, on_loss="ignore")))
        else:
            raw = am.dumps(answer, am.get_codec(f"{codec}-response"), on_loss="ignore")
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream" if is_stream else "application/json")
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@contextmanager
def playing(answer: Answer = _speaks) -> Generator[dict[str, str]]:
    """Serve, and yield the variables by which the SDKs of OpenAI, Anthropic and Google find the server.

    Args:
        answer: what is answered to a history; bytes are sent as they are.
    """
    handler = type("Handler", (_Handler,), {"answer": staticmethod(answer)})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        url = f"http://127.0.0.1:{server.server_port}"
        try:
            yield {
                "OPENAI_BASE_URL": f"{url}/v1", "OPENAI_API_KEY": "none",
                "ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "none",
                "GOOGLE_GEMINI_BASE_URL": url, "GEMINI_API_KEY": "none",
            }  # fmt: skip
        finally:
            server.shutdown()
            thread.join()
