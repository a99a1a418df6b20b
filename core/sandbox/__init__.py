"""Code steps and doubtful schemas, run in worker processes that can be killed.

Host side: `quickjs` (port Sandbox), `schemas` (port Schemas), `pool`, `line`, `process`, `launch`. Worker side:
`worker`, `confinement`, `interpreter`, `console`, `harness.js`, `typescript`. Shared: `frames`, `schema_rules`,
`schema_wording`.
Nothing is imported here: the worker pays for every import before its first answer.
"""
