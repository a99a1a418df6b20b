"""The stored form of events, which must be readable for ever."""

from core.domain.events import AnswerSaved, StepStarted, UnknownFact, with_text
from core.domain.run import StepStatus
from core.persistence.event_rows import EventRow, StoredEvent, digest, encode_events
from tests.contracts.rows import R, a_call, a_message, finished, numbered_events, said, settled

LONG = "x" * 4095
FACTS = (
    StepStarted(step="a", total=3),
    UnknownFact(name="task_changed", data={"x": None}),
    with_text(finished("a", [1], index=0, attempt=2, active_ms=5), "[1]"),
    said(a_message("m")),
    StepStarted(step="b", claimed=True),
    a_call(arguments={"x": LONG}),
    settled(result=None),
    AnswerSaved(step="a", round=1, status=StepStatus.COMPLETED, content={"text": "", "calls": []}),
    with_text(finished("c", LONG), f'"{LONG}"'),
)
TEXT = (
    '[{"type":"step_started","seq":1,"at":1767323046678901,"step":"a","attempt":1,"total":3},'
    '{"type":"task_changed","seq":2,"at":1767323047678901,"x":null},'
    '{"type":"step_finished","seq":3,"at":1767323048678901,"step":"a","index":0,"attempt":2,"active_ms":5,'
    '"status":"completed","output":[1]},'
    '{"type":"message","seq":4,"at":1767323049678901,"role":"user","message_id":"m","interrupted":false},'
    '{"type":"step_started","seq":5,"at":1767323050678901,"step":"b","attempt":1,"claimed":true},'
    '{"type":"tool_start","seq":6,"at":1767323051678901,"call_id":"call_1","tool":"echo","step":"a","round":1,'
    '"position":1,"effect":"once","long":{"arguments":[4103,"ARGUMENTS"]}},'
    '{"type":"tool_end","seq":7,"at":1767323052678901,"call_id":"call_1","status":"completed","duration_ms":7},'
    '{"type":"answer","seq":8,"at":1767323053678901,"step":"a","round":1,"status":"completed",'
    '"content":{"text":"","calls":[]}},'
    '{"type":"step_finished","seq":9,"at":1767323054678901,"step":"c","attempt":1,"status":"completed",'
    '"long":{"output":[4097,"OUTPUT"]}}]'
)


def test_a_row_of_events_holds_what_it_has_always_held() -> None:
    events = numbered_events(*FACTS)
    stored = tuple(StoredEvent(event, a_message("m").id if event.seq == 4 else None) for event in events)
    row, values = encode_events(EventRow(R, stored))
    arguments, output = f'{{"x":"{LONG}"}}', f'"{LONG}"'
    text = TEXT.replace("ARGUMENTS", digest(arguments)).replace("OUTPUT", digest(output))
    assert row == {"id": [R, 1], "workflow": "wf_1", "last": 9, "data": text}
    assert values == [{"id": [R, 6, "arguments"], "data": arguments}, {"id": [R, 9, "output"], "data": output}]
    assert digest("x") == "442a44457137672b3218c1007dc8f76a"
