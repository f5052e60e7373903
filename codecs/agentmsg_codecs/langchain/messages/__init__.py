"""Messages in their forms: how the body is wrapped, its fields, and the quick ways for what is usual."""
