"""The embedded database and the search index. Only `driver` imports surrealdb."""
