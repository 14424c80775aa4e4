"""Long-term memories: records, links, versions, embeddings, purges, and how they change."""
