"""A summary of a conversation: what a model is told in the place of all that was said before it.

A run of its own writes it, so that it can be watched and stopped, and survives a crash; what it stands for stays in the
transcript.
"""

from core.domain.ids import TemplateId

SUMMARY_TEMPLATE = TemplateId("tpl_summary")
"""What marks a run as one that writes a summary. There is no stored template of that id."""
