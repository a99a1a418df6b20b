"""The hook that runs async tests: what passes, and above all what must fail."""

import pytest

pytest_plugins = ["pytester"]

IMPORTS = "import asyncio, pytest\n"


@pytest.fixture
def run(pytester: pytest.Pytester) -> "Run":
    return Run(pytester)


class Run:
    """Runs a test file in a separate pytest with only our hook."""

    def __init__(self, pytester: pytest.Pytester) -> None:
        self._pytester = pytester

    def __call__(self, source: str) -> pytest.RunResult:
        self._pytester.makepyfile(IMPORTS + source)
        return self._pytester.runpytest_inprocess("--disable-plugin-autoload", "-p", "tests.support.async_tests")


def test_an_async_test_runs_in_a_loop_with_its_arguments(run: Run) -> None:
    result = run("""
@pytest.mark.parametrize("number", [1, 2])
async def test_it(number, tmp_path):
    await asyncio.sleep(0)
    assert number in (1, 2) and tmp_path.is_dir()
    assert not asyncio.get_running_loop().get_debug()
""")
    result.assert_outcomes(passed=2)


def test_a_false_assertion_fails_and_shows_its_values(run: Run) -> None:
    result = run("""
async def test_it():
    one = 1
    assert one == 2
""")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*assert 1 == 2"])
    result.stdout.no_fnmatch_line("*async_tests.py*")


def test_each_test_has_a_loop_of_its_own_and_its_fixtures_share_it(run: Run) -> None:
    result = run("""
seen = []

@pytest.fixture
async def given():
    return asyncio.get_running_loop()

@pytest.fixture
async def yielded(given):
    yield asyncio.get_running_loop()
    assert asyncio.get_running_loop() is given

@pytest.mark.parametrize("turn", [1, 2])
async def test_it(given, yielded, turn):
    assert given is yielded is asyncio.get_running_loop()
    assert given not in seen
    seen.append(given)

def test_a_plain_one_may_use_them_too(yielded):
    assert not yielded.is_running()
""")
    result.assert_outcomes(passed=3)


def test_fixtures_are_torn_down_in_reverse_order_even_after_a_failure(run: Run) -> None:
    result = run("""
@pytest.fixture
async def outer():
    yield
    print("outer down")

@pytest.fixture
async def inner(outer):
    yield
    print("inner down")

async def test_it(inner):
    assert False
""")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["inner down", "outer down"])


def test_a_task_group_may_stay_open_across_the_yield_of_a_fixture(run: Run) -> None:
    result = run("""
@pytest.fixture
async def group():
    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        yield group

async def test_it(group):
    group.create_task(asyncio.sleep(0.01))
""")
    result.assert_outcomes(passed=1)


def test_a_failed_task_of_a_fixture_is_an_error_of_its_teardown(run: Run) -> None:
    result = run("""
@pytest.fixture
async def group():
    async with asyncio.TaskGroup() as group:
        yield group

async def broken():
    raise ValueError("broken on purpose")

async def test_it(group):
    group.create_task(broken())
    await asyncio.sleep(0.01)
""")
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["*ValueError: broken on purpose*"])


def test_a_fixture_that_fails_before_its_yield_is_an_error_of_the_setup(run: Run) -> None:
    result = run("""
@pytest.fixture
async def broken():
    raise ValueError("broken on purpose")
    yield

async def test_it(broken): ...
""")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*ValueError: broken on purpose*"])


def test_an_async_fixture_of_a_wider_scope_is_refused(run: Run) -> None:
    result = run("""
@pytest.fixture(scope="module")
async def wide():
    return 1

async def test_it(wide): ...
""")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*ScopeMismatch*async_runner*"])


def test_a_test_over_its_time_limit_fails_where_it_hung(run: Run) -> None:
    result = run("""
@pytest.mark.async_timeout(0.05)
async def test_it():
    await asyncio.Event().wait()  # here
""")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*await asyncio.Event().wait()  # here", "*time limit is 0.05 s*"])


@pytest.mark.parametrize("body", ["await asyncio.Event().wait(); yield", "yield; await asyncio.Event().wait()"])
def test_a_fixture_over_the_time_limit_is_an_error(run: Run, body: str) -> None:
    result = run(f"""
@pytest.fixture
async def slow():
    {body}

@pytest.mark.async_timeout(0.05)
async def test_it(slow): ...
""")
    assert result.parseoutcomes()["errors"] == 1
    result.stdout.fnmatch_lines(["*time limit is 0.05 s*"])


def test_a_task_left_pending_fails_the_test(run: Run) -> None:
    result = run("""
async def test_it():
    asyncio.create_task(asyncio.sleep(60), name="forgotten")
""")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*Task left pending*forgotten*"])


def test_a_task_left_pending_by_a_fixture_is_an_error(run: Run) -> None:
    result = run("""
@pytest.fixture
async def forgetful():
    task = asyncio.create_task(asyncio.sleep(60), name="forgotten")
    yield

async def test_it(forgetful): ...
""")
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["*Task left pending*forgotten*"])


def test_a_fixture_may_hold_tasks_until_it_is_torn_down(run: Run) -> None:
    result = run("""
@pytest.fixture
async def service():
    task = asyncio.create_task(asyncio.sleep(60))
    yield
    task.cancel()

async def test_it(service):
    await asyncio.sleep(0)
""")
    result.assert_outcomes(passed=1)


def test_an_error_in_a_callback_of_the_loop_fails_the_test(run: Run) -> None:
    result = run("""
def broken():
    raise ValueError("broken on purpose")

async def test_it():
    asyncio.get_running_loop().call_soon(broken)
    await asyncio.sleep(0)
""")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*Exception in callback*", "*ValueError: broken on purpose"])


def test_a_failed_task_that_was_never_awaited_fails_the_test_even_while_it_is_referenced(run: Run) -> None:
    result = run("""
kept = []

async def broken():
    raise ValueError("broken on purpose")

async def test_it():
    kept.append(asyncio.create_task(broken()))
    await asyncio.sleep(0)
""")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*Nobody asked for the result*", "*ValueError: broken on purpose"])


def test_a_folder_may_bring_another_loop(run: Run, pytester: pytest.Pytester) -> None:
    pytester.makeconftest("""
import asyncio, pytest

class OurLoop(asyncio.SelectorEventLoop): ...

@pytest.fixture
def loop_factory():
    return OurLoop
""")
    result = run("""
async def test_it():
    assert type(asyncio.get_running_loop()).__name__ == "OurLoop"
""")
    result.assert_outcomes(passed=1)
