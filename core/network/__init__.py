"""How other machines are reached: proxies, certificates, and the names of what fails (AGENTS_AND_TOOLS §11)."""
