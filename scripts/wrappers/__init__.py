"""The wrappers of the clients that are generated from the contract: ``python -m scripts.wrappers FOLDER``."""
