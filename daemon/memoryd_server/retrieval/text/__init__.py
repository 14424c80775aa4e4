"""The text of memories and queries as terms: words, languages, stems, identifiers, numbers and negation."""
