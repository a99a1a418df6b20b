"""What calls of the tools for templates and runs are called on the screen, in the language of now."""

from PySide6.QtCore import QCoreApplication

translate = QCoreApplication.translate  # by its own name, or lupdate would not see what it says


def collection_done(tool: str) -> str | None:
    """What a call did; None for other tools."""
    match tool:
        case "COLLECTION_WORKFLOW_LIST":
            return translate("Tools", "Listed templates")
        case "COLLECTION_WORKFLOW_GET":
            return translate("Tools", "Read a template")
        case "COLLECTION_WORKFLOW_CREATE":
            return translate("Tools", "Saved a template")
        case "COLLECTION_WORKFLOW_UPDATE":
            return translate("Tools", "Changed a template")
        case "COLLECTION_WORKFLOW_DELETE":
            return translate("Tools", "Deleted a template")
        case "COLLECTION_WORKFLOW_EXECUTION_LIST":
            return translate("Tools", "Listed runs")
        case "COLLECTION_WORKFLOW_EXECUTION_GET":
            return translate("Tools", "Read a run")
        case "COLLECTION_WORKFLOW_EXECUTION_CREATE":
            return translate("Tools", "Started a run")
        case "COLLECTION_WORKFLOW_EXECUTION_CANCEL":
            return translate("Tools", "Cancelled a run")
        case "COLLECTION_WORKFLOW_EXECUTION_RESUME":
            return translate("Tools", "Resumed a run")
        case _:
            return None


def collection_doing(tool: str) -> str | None:
    """What a call is doing; None for other tools."""
    match tool:
        case "COLLECTION_WORKFLOW_LIST":
            return translate("Tools", "Listing templates")
        case "COLLECTION_WORKFLOW_GET":
            return translate("Tools", "Reading a template")
        case "COLLECTION_WORKFLOW_CREATE":
            return translate("Tools", "Saving a template")
        case "COLLECTION_WORKFLOW_UPDATE":
            return translate("Tools", "Changing a template")
        case "COLLECTION_WORKFLOW_DELETE":
            return translate("Tools", "Deleting a template")
        case "COLLECTION_WORKFLOW_EXECUTION_LIST":
            return translate("Tools", "Listing runs")
        case "COLLECTION_WORKFLOW_EXECUTION_GET":
            return translate("Tools", "Reading a run")
        case "COLLECTION_WORKFLOW_EXECUTION_CREATE":
            return translate("Tools", "Starting a run")
        case "COLLECTION_WORKFLOW_EXECUTION_CANCEL":
            return translate("Tools", "Cancelling a run")
        case "COLLECTION_WORKFLOW_EXECUTION_RESUME":
            return translate("Tools", "Resuming a run")
        case _:
            return None
