"""What a template says to do next: graph, refs, conditions, planner, validation. No I/O."""
