"""The readable copy of an agent: its records as lines of JSON, and its notes as files of Markdown."""
