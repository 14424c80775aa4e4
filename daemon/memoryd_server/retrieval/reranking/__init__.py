"""The second stage: the best candidates of the first are scored again, by more features and a model fitted on data."""
