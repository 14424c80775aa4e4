"""A toy kind of memory, added to a copy of the project: what docs/adding-a-kind.md shows, and its proof."""
