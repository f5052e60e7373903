"""agentmsg inside of other libraries: the model, and documents of any format, as types of pydantic.

    annotations.py  As: a history as a document of a format, for fields and bodies
    fields.py       the model's classes as pydantic sees them: what they are read from, and written as
    errors.py       our errors as pydantic's, with the place of each fault
    schemas.py      JSON Schemas, their definitions where pydantic and OpenAPI look for them

Nothing here imports pydantic before pydantic asks.

May import ``api`` and what lies below it.
"""
