"""FragmentService and its messages."""
