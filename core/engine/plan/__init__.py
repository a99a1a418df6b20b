"""What a template does next: graph, refs, conditions, planner, validation. No I/O."""
