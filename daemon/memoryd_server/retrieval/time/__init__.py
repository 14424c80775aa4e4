"""Time in words: the periods that queries and contents name, and the dates of memories."""
