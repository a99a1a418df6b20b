"""Migration 3: runs that became roots of their own.

    run     … data has awaited

A run without `root` is a root: one that no other run began, or one that went on after the success of the run that
began it. Listings give roots alone, so the indexes that they go by have the root before the place.
"""

STATEMENTS = (
    "DEFINE INDEX run_by_root ON run FIELDS root, place",
    "DEFINE INDEX OVERWRITE run_by_workflow ON run FIELDS workflow, root, place",
    "DEFINE INDEX OVERWRITE run_by_status ON run FIELDS status, root, place",
)
