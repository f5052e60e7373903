"""One tool call and its copies: in content, in `tool_calls`, in `additional_kwargs`, and in the pieces of a chunk."""
