"""Lists that a server gives by pages: its tools, resources and prompts (AGENTS_AND_TOOLS §7)."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

MAX_PAGES = 500
MAX_ITEMS = 10_000
PAGES_S = 5.0
"""The time for all pages of a list; what has come by then is the list."""

Page = TypeVar("Page")


async def all_pages(
    request: Callable[[str | None], Awaitable[Page]],
    items_of: Callable[[Page], Sequence[Any]],
    what: str,
    note: Callable[[str], object],
) -> list[Any]:
    """Return the items of all pages of a list. Raises the library's errors for the first page.

    A list may have no end: it is over when a cursor or a whole page repeats itself, at a limit, or when a later page
    fails. What has come by then is returned, each item once, and `note` is called with the reason.
    """
    loop = asyncio.get_running_loop()
    until_s = loop.time() + PAGES_S
    items: list[Any] = []
    known: set[str] = set()
    cursors: set[str | None] = {None}
    page, pages = await request(None), 1
    while True:
        listed = items_of(page)
        # Of a page only what earlier pages had is left out: names that one page has twice are an error of the server.
        new = [item for item in listed if _key(item) not in known]
        items += new
        known.update(map(_key, new))
        cursor: str | None = getattr(page, "next_cursor", None)
        if cursor is None:
            return items
        if cursor in cursors or (listed and not new):
            reason = "repeats itself"
        elif pages >= MAX_PAGES or len(items) >= MAX_ITEMS or loop.time() > until_s:
            reason = "has no end within the limits"
        else:
            cursors.add(cursor)
            reason, page = await _next(request, cursor, page)
            pages += 1
        if reason:
            if cursor:  # an empty cursor is an end for some servers, and a cursor for others
                note(f"(the list of {what} {reason}; the {len(items):,} that came are used)")
            return items


async def _next(request: Callable[[str | None], Awaitable[Page]], cursor: str, page: Page) -> tuple[str, Page]:
    """Return the next page, or why there is none and the page before."""
    from mcp import MCPError

    try:
        return "", await request(cursor)
    except MCPError as error:
        return f"ends with an error ({error.message})", page


def _key(item: Any) -> str:
    """Return what identifies a tool, a prompt or a resource."""
    return str(getattr(item, "uri", None) or getattr(item, "uri_template", None) or item.name)
