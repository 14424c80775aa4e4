"""Measures the evidence of a conversation that reaches the model within a budget, and the latency of composing."""
