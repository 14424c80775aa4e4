"""The fuzzer: random input for every method of the contract, and for every decoder of what is stored or handed back.

``python -m tests.fuzz`` runs it with any number of inputs, ``test_fuzz.py`` with a few thousand. The same seed makes
the same inputs. An input that once did harm is kept in ``corpus``, and is tried first from then on.
"""
