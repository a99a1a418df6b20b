"""Late imports by several threads at once see whole modules."""

import subprocess
import sys

from tests.support.project import ROOT

PROGRAM = """
import threading
from core.sandbox.schema_rules import problem, violations
failed = []
def check(number):
    try:
        assert problem({"type": "object", "properties": {str(number): {"type": "string"}}}) is None
        assert violations('{"type":"string"}', number)
    except BaseException as error:
        failed.append(repr(error))
threads = [threading.Thread(target=check, args=(number,)) for number in range(12)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(failed)
"""


def test_threads_that_check_schemas_first_at_the_same_time_all_succeed() -> None:
    for _ in range(3):
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM], cwd=ROOT, capture_output=True, text=True, check=True, timeout=120
        )
        assert done.stdout.strip() == "[]"
