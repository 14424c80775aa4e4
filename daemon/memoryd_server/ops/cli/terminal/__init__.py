"""Reading what a person types, and writing to a terminal, to a pipe, or as JSON."""
