"""agentmsg inside other libraries: the model, and documents of any format, as pydantic types; columns of tables.

    annotations.py  As: a history as a document of a format, for fields and bodies
    fields.py       the model's classes as pydantic types, read and written; our errors as pydantic's
    reports.py      losses, loss reports and findings as pydantic types
    schemas.py      JSON Schemas, with their definitions where pydantic and OpenAPI look for them
    tables.py       documents in a column, converted on clusters of Ray, Dask and Spark

Nothing here imports pydantic until pydantic calls it.

May import ``api`` and what lies below it.
"""
