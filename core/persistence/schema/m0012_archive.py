"""Migration 12: workflows that are put away, and those that are about to be deleted.

    workflow     … archived_at discarded_at

Both are microseconds since 1970, and stand beside `data` so that who writes a workflow's row leaves them as they are.
"""

STATEMENTS = (
    "DEFINE INDEX workflow_by_archived ON workflow FIELDS archived_at",
    "DEFINE INDEX workflow_by_discarded ON workflow FIELDS discarded_at",
)
