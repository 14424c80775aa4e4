"""The console: pages for web browsers that show what agents remember."""
