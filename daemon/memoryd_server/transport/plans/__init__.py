"""PlanService and its messages."""
