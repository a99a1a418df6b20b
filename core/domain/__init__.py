"""What Metier is about: plain models and pure rules, free of I/O, tasks and libraries of the edges."""
