"""The toy kind's own tests run in the tree that has it; see test_bookmark_tree.py."""

collect_ignore = ["bookmark", "field"]
