"""Watches: event streams with resume, and following other daemons' commits."""
