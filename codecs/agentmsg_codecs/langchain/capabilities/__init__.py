"""What LangChain's messages carry, and what becomes of the rest."""
