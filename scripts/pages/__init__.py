"""The pages of the documentation: those that are generated, and what makes a site of all of them."""
