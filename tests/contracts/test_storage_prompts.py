"""What every store keeps of the prompt library."""

from core.domain.ids import PromptId
from core.domain.prompt import CONTENT_CHARACTERS, Prompt
from core.ports.storage import PutPrompt, RemovePrompt, Storage

FULL = Prompt(
    id=PromptId("prompt_1"),
    name="Élise 亚",
    description="a\n\x00 b 🙂",
    category="مرحبا",
    content="{{a}} {{ \x00🙂" + "é" * (CONTENT_CHARACTERS - 11),
)
BARE = Prompt(id=PromptId("prompt_2"), name="b", content="c")


async def test_every_field_of_a_prompt_comes_back_as_it_was(storage: Storage) -> None:
    assert await storage.prompts() == []
    await storage.commit([PutPrompt(FULL), PutPrompt(BARE)])
    assert await storage.prompts() == [BARE, FULL]


async def test_a_prompt_is_replaced_and_removed_and_what_is_not_there_can_be_removed(storage: Storage) -> None:
    await storage.commit([PutPrompt(FULL), PutPrompt(BARE)])
    changed = Prompt(id=FULL.id, name="c", content="d")
    await storage.commit([PutPrompt(changed), RemovePrompt(BARE.id), RemovePrompt(PromptId("prompt_\ud800"))])
    assert await storage.prompts() == [changed]
    await storage.commit([RemovePrompt(FULL.id), PutPrompt(FULL)])  # puts come first, however they are listed
    assert await storage.prompts() == []
