"""Content parts and blocks: v1 of langchain-core, what older versions and other providers write, and Anthropic's."""
