"""The observation of calls: their number, their time, and how they end."""
