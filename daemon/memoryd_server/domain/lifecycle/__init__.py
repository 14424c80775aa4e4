"""Operations on an agent as a whole, over the table of all parts: load, replay, clear, end, restore, expire."""
