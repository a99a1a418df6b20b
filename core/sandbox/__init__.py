"""Code steps and untrusted schemas, run in worker processes that can be killed.

Host side: `quickjs` (port Sandbox), `schemas` (port Schemas), `pool`, `process`. Worker side: `worker`, `confinement`,
`interpreter`, `console`, `harness.js`, `typescript`. Shared: `frames`, `schema_rules`, `schema_wording`. This file
imports nothing: the worker pays for every import before its first answer.
"""
