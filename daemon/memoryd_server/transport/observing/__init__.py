"""The observation of calls: their number, their time, how they end, and who made them."""
