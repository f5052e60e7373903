"""What LangChain's messages support, and what becomes of the rest."""
