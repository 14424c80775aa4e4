"""Search indexes derived from agents' states, and the vectors that fill them."""
