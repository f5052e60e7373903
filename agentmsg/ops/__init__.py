"""Operations on histories: pure functions, one module a subject. They stand above codecs and conversion.

``stats`` is what ``History.stats()`` gives. The model reaches these modules by name, when it is asked.
"""
