"""Operations: work that goes on without a call that waits for it."""
