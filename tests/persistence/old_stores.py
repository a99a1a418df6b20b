"""Stores as earlier versions wrote them: the results, calls and interruptions of a run in rows of their own."""

from pathlib import Path
from typing import Any

from core.domain.ids import RunId
from core.persistence.connection import Connection
from core.persistence.schema import MIGRATIONS, Migration
from core.persistence.statements import Statement
from tests.contracts.rows import W

MICROSECONDS = 1767323045678901  # tests.contracts.rows.START
SECOND = 1_000_000
LAST_VERSION = 14
LONG = "x" * 5000
ERROR = (
    '{"code":"timeout","message":"slow","failed_step":null,"failed_during":null,"tool_name":null,"parameters":{"n":1}}'
)
TEMPLATE, CHAT, WAITING, BROKEN = (RunId(f"run_{name}") for name in ("template", "chat", "waiting", "broken"))
Rows = dict[str, list[dict[str, Any]]]


def place(number: int) -> str:
    return f"{MICROSECONDS + number:017d} {number:020d}"


def a_run(run_id: RunId, number: int, status: str, **fields: Any) -> dict[str, Any]:
    data = f'{{"kind":"{"chat" if run_id == CHAT else "workflow"}","title":"Old"}}'
    row = {"id": run_id, "workflow": W, "message": f"msg_{run_id}", "place": place(number), "status": status}
    return {**row, "active_ms": number, "data": data, **fields}


def a_result(run_id: RunId, step: str, *, index: int = -1, round_: int = -1, **fields: Any) -> dict[str, Any]:
    data = fields.pop("data", '{"attempt":1,"active_ms":7}')
    part = int(index >= 0 or round_ >= 0)
    return {"id": [run_id, part, step, index, round_], "status": "completed", **fields, "data": data}


def events(run_id: RunId, first: int, *facts: str) -> dict[str, Any]:
    """Return a row of events, numbered from `first`, a second apart."""
    numbered = [
        f'{fact[:-1]},"seq":{seq},"at":{MICROSECONDS + seq * SECOND}}}' for seq, fact in enumerate(facts, first)
    ]
    last = first + len(facts) - 1
    return {"id": [run_id, first], "workflow": W, "last": last, "data": f"[{','.join(numbered)}]"}


def created(run_id: RunId, *steps: str) -> str:
    names = ",".join(f'"{step}"' for step in steps)
    kind = "chat" if run_id == CHAT else "workflow"
    return (
        f'{{"type":"run_created","kind":"{kind}","title":"Old","message_id":"msg_{run_id}","steps":[{names}],'
        f'"children":[]}}'
    )


def last_rows() -> Rows:
    """Return rows of the last version before facts: finished, at work, waiting, and a run that cannot be read."""
    finished = '{"type":"step_finished","step":"%s","attempt":1,"status":"completed"}'
    rows: Rows = {
        "workflow": [
            {"id": W, "place": place(0), "data": f'{{"title":"T","agent":"a","created_at":{MICROSECONDS},'
             f'"updated_at":{MICROSECONDS}}}'}
        ],
        "message": [
            {"id": "msg_asked", "workflow": W, "place": place(1), "text": "what?",
             "data": f'{{"role":"user","created_at":{MICROSECONDS},"state":"final","run_id":"{CHAT}"}}'},
            {"id": f"msg_{CHAT}", "workflow": W, "place": place(2), "text": LONG,
             "data": f'{{"role":"assistant","created_at":{MICROSECONDS},"state":"final","run_id":"{CHAT}"}}'},
        ],
        "setting": [{"id": "a", "value": "1"}],
        "outcome": [{"id": TEMPLATE, "output": f'"{LONG}"'}],
        "memory_word": [{"id": "m", "scope": "", "place": place(0), "words": " a "}],
        "run": [
            a_run(TEMPLATE, 0, "success"), a_run(CHAT, 1, "running"), a_run(WAITING, 2, "waiting"),
            a_run(BROKEN, 3, "success"),
        ],
    }  # fmt: skip
    rows["event"] = [
        events(
            TEMPLATE, 1, created(TEMPLATE, "each", "tool", "off", "late"), '{"type":"run_started"}',
            '{"type":"step_started","step":"each","attempt":1,"total":2}',
            '{"type":"step_finished","step":"each","index":0,"attempt":1,"status":"completed"}',
        ),
        # rows overlap where a commit was repeated after more had come
        events(
            TEMPLATE, 4, '{"type":"step_finished","step":"each","index":0,"attempt":1,"status":"completed"}',
            '{"type":"step_finished","step":"each","index":1,"attempt":1,"status":"error","error":{"code":"x",'
            '"message":"y"}}',
            finished % "each", '{"type":"step_raw","step":"tool","attempt":1}', finished % "tool",
            '{"type":"step_skipped","step":"off","attempt":1,"value":null}',
            '{"type":"step_retry","step":"late","attempt":1,"delay_ms":1,"error":{"code":"timeout","message":"slow",'
            '"n":1}}',
            '{"type":"step_finished","step":"late","attempt":2,"status":"completed","output":"own"}',
            '{"type":"run_finished","status":"success","active_ms":9}',
        ),
        events(
            CHAT, 1, created(CHAT, "chat"),
            '{"type":"message","role":"user","message_id":"msg_asked","interrupted":false}',
            '{"type":"run_started"}', '{"type":"step_started","step":"chat","attempt":1}',
            '{"type":"tool_start","call_id":"chat.1.1","tool":"echo","arguments":{"x":1},"step":"chat","round":1,'
            '"offset":0}',
            '{"type":"tool_end","call_id":"chat.1.1","status":"completed","duration_ms":3}',
            '{"type":"tool_start","call_id":"chat.1.2","tool":"note","arguments":{},"step":"chat","round":1,"offset":0}',
            '{"type":"sub_agent_started","sub_agent_id":"chat.1.1/1","name":"N","prompt":"p","call_id":"chat.1.1",'
            '"step":"chat"}',
        ),
        events(
            WAITING, 1, created(WAITING, "ask"), '{"type":"run_started"}',
            '{"type":"interruption_raised","id":"int_1","step":"ask","kind":"approval","status":"awaiting-approval",'
            '"prompt":"May I?"}',
            '{"type":"interruption_closed","id":"int_1","kind":"approval","status":"approved"}',
            '{"type":"interruption_raised","id":"int_2","step":"ask","kind":"question","status":"awaiting-answer",'
            '"prompt":"What?"}',
            '{"type":"run_waiting"}',
        ),
        {"id": [BROKEN, 1], "workflow": W, "last": 1, "data": '[{"type":"run_st'},
    ]  # fmt: skip
    errors = f'{{"attempt":2,"active_ms":9,"attempt_errors":[{ERROR}]}}'
    rows["step_result"] = [
        a_result(TEMPLATE, "each", output=f'["{LONG}",null]'),
        a_result(TEMPLATE, "each", index=0, output=f'"{LONG}"'),
        a_result(
            TEMPLATE, "each", index=1, status="error",
            data='{"attempt":1,"active_ms":7,"error":{"code":"x","message":"y","failed_step":null,'
            '"failed_during":null,"tool_name":null,"parameters":{}}}',
        ),
        a_result(TEMPLATE, "tool", output="2"),
        a_result(TEMPLATE, "tool", round_=0, output='{"raw":1}'),
        a_result(TEMPLATE, "off", output="null", data='{"attempt":1,"skipped":true,"active_ms":7}'),
        a_result(TEMPLATE, "late", output='"own"', data=errors),
        a_result(CHAT, "chat", status="running", data=f'{{"attempt":1,"started_at":{MICROSECONDS},"active_ms":7}}'),
        a_result(CHAT, "chat", round_=1, output='{"text":"so","calls":[]}'),
        a_result(
            CHAT, "chat.1.1/1", status="running",
            output='{"name":"N","agent":null,"model":null,"text":"","input_tokens":3,"output_tokens":4,"cost":null}',
        ),
        a_result(WAITING, "ask", status="retrying", output=None, data=errors),
        a_result(BROKEN, "a", output="1"),
    ]  # fmt: skip
    call = '"step":"chat","round":1,"position":%d,"tool":"%s","status":"%s","effect":"once","sameness":"s"'
    rows["tool_call"] = [
        {"id": [CHAT, "chat.1.1"], "result": f'"{LONG}"', "data": f"{{{call % (1, 'echo', 'completed')}}}"},
        {"id": [CHAT, "chat.1.2"], "data": f"{{{call % (2, 'note', 'running')}}}"},
    ]
    rows["tool_argument"] = [
        {"id": [CHAT, "chat.1.1"], "text": '{"x":1}'},
        {"id": [CHAT, "chat.1.2"], "text": "{}"},
    ]
    frame = f'"attempt":1,"default_action":"reject","created_at":{MICROSECONDS}'
    rows["interruption"] = [
        {"id": [WAITING, "int_1"], "workflow": W, "status": "approved", "is_open": False, "place": place(0),
         "closed_at": MICROSECONDS + SECOND, "data": f'{{"kind":"approval","step":"ask","seq":3,{frame}}}'},
        {"id": [WAITING, "int_2"], "workflow": W, "status": "awaiting-answer", "is_open": True, "place": place(1),
         "data": f'{{"kind":"question","step":"ask","seq":5,"timeout_ms":5,"expires_at":{MICROSECONDS},{frame}}}'},
    ]  # fmt: skip
    rows["interruption_ask"] = [
        {"id": [WAITING, "int_1"], "data": f'{{"prompt":"May I?","input":"{LONG}"}}'},
        {"id": [WAITING, "int_2"], "data": '{"prompt":"What?","options":[1,{"x":null}]}'},
    ]
    rows["interruption_answer"] = [{"id": [WAITING, "int_1"], "data": '{"action":"approve","value":"run"}'}]
    return rows


async def write_store(path: Path, rows: Rows, version: int = LAST_VERSION) -> None:
    """Write a store of that version."""
    connection = await Connection.open(path)
    for migration in MIGRATIONS:
        if migration.number <= version:
            await _apply(connection, migration)
    for table, of_table in rows.items():
        await connection.commit([Statement(f"INSERT INTO {table} $argument RETURN NONE", of_table)])
    await connection.close()


async def _apply(connection: Connection, migration: Migration) -> None:
    statements = [Statement(text, None) for text in migration.statements]
    version = Statement(f"UPSERT meta:schema SET version = {migration.number}", None)
    await connection.commit([*statements, version])
