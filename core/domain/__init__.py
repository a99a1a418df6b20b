"""The domain of Metier: plain models and pure rules, without I/O, tasks or edge libraries."""
