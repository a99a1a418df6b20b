"""The stored form of events, which must be readable for ever."""

from core.domain.events import StepStarted, UnknownFact
from core.domain.run import StepKey
from core.persistence.event_rows import EventRow, StoredEvent, encode_events
from tests.contracts.rows import R, a_message, finished, numbered_events, said

FACTS = (
    StepStarted(step="a", total=3),
    UnknownFact(name="task_changed", data={"x": None}),
    finished("a", [1], index=0, attempt=2),
    said(a_message("m")),
)
TEXT = (
    '[{"type":"step_started","seq":1,"at":1767323046678901,"step":"a","attempt":1,"total":3},'
    '{"type":"task_changed","seq":2,"at":1767323047678901,"x":null},'
    '{"type":"step_finished","seq":3,"at":1767323048678901,"step":"a","index":0,"attempt":2,"status":"completed"},'
    '{"type":"message","seq":4,"at":1767323049678901,"role":"user","message_id":"m","interrupted":false}]'
)


def test_a_row_of_events_holds_what_it_has_always_held() -> None:
    value_key = (None, None, StepKey("a", 0), a_message("m").id)
    events = tuple(map(StoredEvent, numbered_events(*FACTS), value_key))
    assert encode_events(EventRow(R, events)) == {"id": [R, 1], "workflow": "wf_1", "last": 4, "data": TEXT}
