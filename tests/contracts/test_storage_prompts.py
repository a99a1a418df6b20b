"""Storage of the prompt library."""

from core.domain.ids import PromptId
from core.domain.prompt import CONTENT_CHARACTERS, Prompt
from core.ports import Put, Remove, Storage

FULL = Prompt(
    id=PromptId("prompt_1"),
    name="Élise 亚",
    description="a\n\x00 b 🙂",
    category="مرحبا",
    content="{{a}} {{ \x00🙂" + "é" * (CONTENT_CHARACTERS - 11),
)
BARE = Prompt(id=PromptId("prompt_2"), name="b", content="c")


async def test_every_field_of_a_prompt_comes_back_as_it_was(storage: Storage) -> None:
    assert await storage.prompts.all() == []
    await storage.commit([Put(FULL), Put(BARE)])
    assert await storage.prompts.all() == [BARE, FULL]


async def test_a_prompt_is_replaced_and_removed_and_what_is_not_there_can_be_removed(storage: Storage) -> None:
    await storage.commit([Put(FULL), Put(BARE)])
    changed = Prompt(id=FULL.id, name="c", content="d")
    await storage.commit([Put(changed), Remove(Prompt, BARE.id), Remove(Prompt, PromptId("prompt_\ud800"))])
    assert await storage.prompts.all() == [changed]
    await storage.commit([Remove(Prompt, FULL.id), Put(FULL)])  # puts come first, however they are listed
    assert await storage.prompts.all() == []
