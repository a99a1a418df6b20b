"""The offline agent: commands it follows without a model."""
