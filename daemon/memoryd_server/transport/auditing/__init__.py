"""The way of audit records from the calls to those who watch them."""
