"""Parsing of requests: what a message would cost is counted on its bytes before it is built."""
