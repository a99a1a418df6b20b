"""The wire formats by name."""

from collections.abc import Mapping

from core.domain.model import WireFormatName
from core.llm.anthropic_messages.wire_format import AnthropicMessages
from core.llm.gemini.wire_format import Gemini
from core.llm.openai_compatible.wire_format import ChatCompletions
from core.llm.openai_responses.wire_format import Responses
from core.llm.provider.wire_format import WireFormat

WIRE_FORMATS: Mapping[WireFormatName, WireFormat] = {
    WireFormatName.CHAT_COMPLETIONS: ChatCompletions(),
    WireFormatName.ANTHROPIC_MESSAGES: AnthropicMessages(),
    WireFormatName.GEMINI: Gemini(),
    WireFormatName.OPENAI_RESPONSES: Responses(),
}
