"""Export of workflows, templates, agents, prompts, servers, memories and settings to a file, and their import."""
