"""The events of a watch as lines, and the file that keeps its position."""
