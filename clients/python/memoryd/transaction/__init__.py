"""Transactions: changes of one agent that are collected, and then made as one."""
