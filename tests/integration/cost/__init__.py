"""The cost of single calls: how long they hold the event loop, and how much memory they take."""
