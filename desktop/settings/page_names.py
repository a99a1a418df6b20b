"""The pages of the settings: which there are, what they are called, and their signs."""

from enum import StrEnum

from PySide6.QtCore import QCoreApplication

from desktop.theme.icon_names import Icon

translate = QCoreApplication.translate  # by its own name, or lupdate would not see what it says


class PageId(StrEnum):
    """The pages, in their order."""

    MODELS = "models"
    AGENTS = "agents"
    SERVERS = "servers"
    VALIDATION = "validation"
    LIMITS = "limits"
    PROMPTS = "prompts"
    MEMORY = "memory"
    NOTIFICATIONS = "notifications"
    APPEARANCE = "appearance"
    KEYS = "keys"
    ABOUT = "about"


PAGE_ICONS = {
    PageId.MODELS: Icon.CPU,
    PageId.AGENTS: Icon.BOT,
    PageId.SERVERS: Icon.WRENCH,
    PageId.VALIDATION: Icon.SHIELD,
    PageId.LIMITS: Icon.TIMER,
    PageId.PROMPTS: Icon.FILE_TEXT,
    PageId.MEMORY: Icon.BRAIN,
    PageId.NOTIFICATIONS: Icon.BELL,
    PageId.APPEARANCE: Icon.SUN,
    PageId.KEYS: Icon.KEYBOARD,
    PageId.ABOUT: Icon.INFO,
}


def page_title(page_id: PageId) -> str:
    """What a page is called, in the language of now."""
    return {
        PageId.MODELS: translate("Pages", "Models"),
        PageId.AGENTS: translate("Pages", "Agents"),
        PageId.SERVERS: translate("Pages", "MCP servers"),
        PageId.VALIDATION: translate("Pages", "Validation"),
        PageId.LIMITS: translate("Pages", "Limits"),
        PageId.PROMPTS: translate("Pages", "Prompts"),
        PageId.MEMORY: translate("Pages", "Memory"),
        PageId.NOTIFICATIONS: translate("Pages", "Notifications"),
        PageId.APPEARANCE: translate("Pages", "Appearance and language"),
        PageId.KEYS: translate("Pages", "Keys"),
        PageId.ABOUT: translate("Pages", "About"),
    }[page_id]
