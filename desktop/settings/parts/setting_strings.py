"""Texts of settings: names, help, values and errors."""

from PySide6.QtCore import QCoreApplication, QLocale

from core.domain.settings import NotifyLevel, OnTimeout
from core.domain.template import ValidationMode
from core.services.outcome import Failed
from desktop.settings.parts.editors import amount_text
from desktop.settings.sources.setting_sources import Setting, SettingValue
from desktop.theme import Scheme
from desktop.translation import Language, number, percent

translate = QCoreApplication.translate  # by its own name, or lupdate would not see what it says


def setting_label(setting: Setting) -> str:
    return {
        Setting.VALIDATION_MODE: translate("SettingWords", "Validation mode"),
        Setting.MAX_RUNNING_RUNS: translate("SettingWords", "Runs at once"),
        Setting.MAX_WORKFLOWS_AUTO: translate("SettingWords", "Workflows at once in automatic mode"),
        Setting.STREAM_WRITE_INTERVAL_S: translate("SettingWords", "Write interval"),
        Setting.ASK_AT_ROUND_LIMIT: translate("SettingWords", "Ask when an agent has used its rounds"),
        Setting.RUN_SPENDING_LIMIT: translate("SettingWords", "Spending limit of a run"),
        Setting.DAY_SPENDING_LIMIT: translate("SettingWords", "Spending limit of a day"),
        Setting.ASK_FOR_TOOLS: translate("SettingWords", "Ask about tools"),
        Setting.ASK_FOR_SUB_AGENTS: translate("SettingWords", "Ask about sub-agents"),
        Setting.ASK_FOR_MCP: translate("SettingWords", "Ask about MCP servers"),
        Setting.ASK_FOR_FILES: translate("SettingWords", "Ask about files"),
        Setting.ASK_FOR_DATABASE: translate("SettingWords", "Ask about the database"),
        Setting.CONFIRM_HIGH_RISK: translate("SettingWords", "Always confirm high risk"),
        Setting.LOW_RISK_FREE_IN_SELECTIVE: translate("SettingWords", "Selective: low risk needs no approval"),
        Setting.LOW_RISK_FREE_IN_MANUAL: translate("SettingWords", "Manual: low risk needs no approval"),
        Setting.CONSENT_EXPIRES: translate("SettingWords", "Requests have a time limit"),
        Setting.CONSENT_TIMEOUT_S: translate("SettingWords", "Time limit of a request"),
        Setting.CONSENT_ON_TIMEOUT: translate("SettingWords", "After the time limit"),
        Setting.AUDIT_DAYS: translate("SettingWords", "Keep the audit log for"),
        Setting.NOTIFY: translate("SettingWords", "While you look elsewhere"),
        Setting.REMIND_AFTER_MIN: translate("SettingWords", "Remind me of an open question after"),
        Setting.SCHEME: translate("SettingWords", "Theme"),
        Setting.LANGUAGE: translate("SettingWords", "Language"),
        Setting.ZOOM: translate("SettingWords", "Text size"),
        Setting.REDUCED_MOTION: translate("SettingWords", "Reduce motion"),
        Setting.ENTER_SENDS: translate("SettingWords", "Send a message with"),
    }[setting]


def setting_help(setting: Setting) -> str:
    """Return a sentence on the setting's effect."""
    return {
        Setting.VALIDATION_MODE: translate("SettingWords", "Which tool calls wait for your approval."),
        Setting.MAX_RUNNING_RUNS: translate("SettingWords", "More wait for their turn, first come, first served."),
        Setting.MAX_WORKFLOWS_AUTO: translate("SettingWords", "In the other modes, one workflow runs at a time."),
        Setting.STREAM_WRITE_INTERVAL_S: translate(
            "SettingWords",
            "How often the text of a running answer is written to the disk: a crash loses at most that much.",
        ),
        Setting.ASK_AT_ROUND_LIMIT: translate(
            "SettingWords", "You can let it go on for as many again. Otherwise its run fails."
        ),
        Setting.RUN_SPENDING_LIMIT: translate(
            "SettingWords",
            "In dollars. A run that has cost as much asks before it goes on, with its sub-agents and the runs that it "
            "started. Models without a price are not counted.",
        ),
        Setting.DAY_SPENDING_LIMIT: translate(
            "SettingWords", "The same for all workflows together, from midnight to midnight."
        ),
        Setting.ASK_FOR_TOOLS: translate("SettingWords", "Calculating, waiting, running code, and all others."),
        Setting.ASK_FOR_SUB_AGENTS: translate("SettingWords", "When an agent wants to start others."),
        Setting.ASK_FOR_MCP: translate("SettingWords", "Every call of a tool that a server offers."),
        Setting.ASK_FOR_FILES: translate("SettingWords", "Writing files; reading needs no approval."),
        Setting.ASK_FOR_DATABASE: translate("SettingWords", "What changes memories, templates and runs."),
        Setting.CONFIRM_HIGH_RISK: translate(
            "SettingWords",
            "In automatic mode too, you are asked about calls that delete something, change something at an address "
            "that is not allowed, or that their MCP server calls destructive.",
        ),
        Setting.LOW_RISK_FREE_IN_SELECTIVE: translate("SettingWords", "Calls that only read are never asked about."),
        Setting.LOW_RISK_FREE_IN_MANUAL: translate("SettingWords", "Calls that only read are never asked about."),
        Setting.CONSENT_EXPIRES: translate("SettingWords", "Otherwise they wait for you as long as it takes."),
        Setting.CONSENT_TIMEOUT_S: translate("SettingWords", "How long you have to answer."),
        Setting.CONSENT_ON_TIMEOUT: translate("SettingWords", "What becomes of a call that nobody answered."),
        Setting.AUDIT_DAYS: translate("SettingWords", "Older entries are deleted for good."),
        Setting.NOTIFY: translate(
            "SettingWords", "What your desktop tells you when this window is not the active one."
        ),
        Setting.REMIND_AFTER_MIN: translate(
            "SettingWords",
            "It is repeated each time the wait has doubled, and daily after that. What has a time limit goes on by "
            "itself.",
        ),
        Setting.SCHEME: translate("SettingWords", "System follows the colours of your desktop."),
        Setting.LANGUAGE: translate("SettingWords", "System follows the language of your desktop."),
        Setting.ZOOM: translate("SettingWords", "The zoom of texts and controls."),
        Setting.REDUCED_MOTION: translate("SettingWords", "Nothing pulses, slides or fades."),
        Setting.ENTER_SENDS: translate("SettingWords", "The other key begins a new line, as Shift+Enter always does."),
    }[setting]


def choice_labels(setting: Setting) -> dict[SettingValue, str]:
    """Return the values of a setting with few choices, in their order, with their labels."""
    system = translate("SettingWords", "System")
    if setting is Setting.VALIDATION_MODE:
        return {
            ValidationMode.AUTO: translate("SettingWords", "Automatic"),
            ValidationMode.MANUAL: translate("SettingWords", "Manual"),
            ValidationMode.SELECTIVE: translate("SettingWords", "Selective"),
        }
    if setting is Setting.SCHEME:
        return {
            Scheme.SYSTEM: system,
            Scheme.LIGHT: translate("SettingWords", "Light"),
            Scheme.DARK: translate("SettingWords", "Dark"),
        }
    if setting is Setting.NOTIFY:
        return {
            NotifyLevel.EVERYTHING: translate("SettingWords", "Everything"),
            NotifyLevel.QUESTIONS_AND_FAILURES: translate("SettingWords", "Questions and failures"),
            NotifyLevel.QUESTIONS: translate("SettingWords", "Questions"),
            NotifyLevel.OFF: translate("SettingWords", "Nothing"),
        }
    if setting is Setting.REMIND_AFTER_MIN:
        never = translate("SettingWords", "Never")
        unit_words = translate("SettingWords", "{minutes} min").replace(" ", "\N{NO-BREAK SPACE}")
        return {minutes: unit_words.format(minutes=minutes) if minutes else never for minutes in (0, 5, 10, 30, 60)}
    if setting is Setting.LANGUAGE:  # each in its own language, so that its speakers recognise it
        return {Language.SYSTEM: system, Language.ENGLISH: "English", Language.FRENCH: "Français"}
    if setting is Setting.CONSENT_ON_TIMEOUT:
        return {
            OnTimeout.REJECT: translate("SettingWords", "Reject"),
            OnTimeout.APPROVE: translate("SettingWords", "Approve"),
            OnTimeout.ASK_AGAIN: translate("SettingWords", "Ask again"),
        }
    if setting is Setting.ENTER_SENDS:
        return {True: translate("SettingWords", "Enter"), False: translate("SettingWords", "Ctrl+Enter")}
    return {True: translate("SettingWords", "on"), False: translate("SettingWords", "off")}


def auto_mode_warning(most_workflows: int) -> str:
    """Return what automatic mode changes, with how many workflows may run in it at once."""
    if most_workflows == 1:
        return translate(
            "SettingWords",
            "Automatic mode: operations will be approved without confirmation. Make sure that you understand the "
            "security risks.",
        )
    text = translate(
        "SettingWords",
        "Automatic mode: operations will be approved without confirmation. Multi-workflow mode (up to {count} at once) "
        "will be available. Make sure that you understand the security risks.",
    )
    return text.format(count=number(most_workflows))


def value_text(setting: Setting, value: SettingValue) -> str:
    if value is None:
        return no_limit()
    if setting is Setting.ZOOM:
        return percent(float(value))
    if setting is Setting.AUDIT_DAYS:
        days = QLocale().toString(int(value))
        return translate("SettingWords", "{days} days").format(days=days).replace(" ", "\N{NO-BREAK SPACE}")
    if setting in (Setting.RUN_SPENDING_LIMIT, Setting.DAY_SPENDING_LIMIT):
        before, after = dollar_signs()
        return f"{before}{amount_text(float(value))}{after}"
    if setting in (Setting.STREAM_WRITE_INTERVAL_S, Setting.CONSENT_TIMEOUT_S):
        seconds = QLocale().toString(float(value), "g", 4)
        return translate("SettingWords", "{seconds} s").format(seconds=seconds).replace(" ", "\N{NO-BREAK SPACE}")
    if isinstance(value, str | bool) or setting is Setting.REMIND_AFTER_MIN:
        return choice_labels(setting)[value]
    return QLocale().toString(value)


def no_limit() -> str:
    return translate("SettingWords", "no limit")


def dollar_signs() -> tuple[str, str]:
    """Return what stands before and after a number of dollars."""
    words = translate("SettingWords", "${amount}").replace(" ", "\N{NO-BREAK SPACE}")
    before, _, after = words.partition("{amount}")
    return before, after


def unit_suffix(setting: Setting) -> str:
    """Return the suffix of a number of this setting, if it has a unit."""
    return value_text(setting, 0).removeprefix(QLocale().toString(0))


def setting_refusal_text(code: str) -> str:
    """Return why a setting was rejected."""
    sentences = {
        "storage_full": translate("SettingWords", "The disk is full, so the setting stays as it was."),
        "storage_not_writable": translate(
            "SettingWords", "The data folder cannot be written to, so the setting stays as it was."
        ),
        "storage_failed": translate("SettingWords", "The database did not answer, so the setting stays as it was."),
        "window_state_not_kept": translate(
            "SettingWords", "The disk did not take the change, so the setting stays as it was."
        ),
        "bad_input": translate("SettingWords", "This value is out of bounds, so the setting stays as it was."),
    }
    return sentences.get(code, translate("SettingWords", "The change was refused, so the setting stays as it was."))


def consent_failure_text(failed: Failed) -> str:
    """Return why a request to the consent service failed."""
    if failed.code == "not_written":
        return translate("ConsentWords", "The file could not be written.")
    return translate("ConsentWords", "The database did not answer, so everything stays as it was.")
