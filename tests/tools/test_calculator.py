"""The calculator agrees with arithmetic, and reports why there is no result."""

import math
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import ToolFailed
from core.tools.builtin.calculator import evaluate
from tests.tools.rig import Builtins

OPERATORS = st.sampled_from(["+", "-", "*", "/", "//", "%"])
NUMBERS = st.integers(0, 10**30) | st.just(0.0) | st.floats(1e-30, 1e30)  # no part of an expression is infinite
EXPRESSIONS = st.recursive(
    NUMBERS.map(repr),
    lambda inner: st.builds("({} {} {})".format, inner, OPERATORS, inner) | st.builds("-{}".format, inner),
    max_leaves=6,
)
UNARY = ["sin", "cos", "atan", "sinh", "cosh", "tanh", "cbrt", "exp", "exp2", "degrees", "radians"]
UNARY += ["floor", "ceil", "trunc"]


@given(EXPRESSIONS)
def test_it_agrees_with_python(expression: str) -> None:
    try:
        expected = eval(expression, {"__builtins__": {}})
    except (ZeroDivisionError, OverflowError) as error:
        expected = error
    if isinstance(expected, Exception) or not math.isfinite(expected):
        assert isinstance(outcome(expression), ToolFailed)
    else:
        assert outcome(expression) == pytest.approx(expected, rel=1e-12)


@given(st.integers(-(10**9), 10**9), st.integers(0, 60))
def test_powers_of_integers_are_exact(base: int, exponent: int) -> None:
    assert evaluate(f"({base}) ^ {exponent}") == base**exponent


@given(st.integers(-(10**40), 10**40), st.integers(1, 10**20))
def test_a_quotient_that_comes_out_even_is_exact(quotient: int, divisor: int) -> None:
    result = evaluate(f"({quotient * divisor}) / {divisor}")
    assert (type(result), result) == (int, quotient)


@given(st.sampled_from(UNARY), st.floats(-500, 500))
def test_functions_are_those_of_the_math_library(name: str, number: float) -> None:
    assert evaluate(f"{name}({number!r})") == getattr(math, name)(number)


@given(st.text(max_size=40))
def test_any_text_gives_a_number_or_a_reason(text: str) -> None:
    result = outcome(text)
    assert isinstance(result, int | float | ToolFailed)


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("2 + 3 * 4", 14),
        ("-2^2", -4),
        ("2^3^2", 512),
        ("2^-1", 0.5),
        ("2**10", 1024),
        ("-7 % 3", 2),
        ("-7 // 2", -4),
        ("7 / 2", 3.5),
        ("0.1 + 0.2", 0.30000000000000004),
        (" 1 ", 1),
        ("1_000", 1000),
        ("pi", math.pi),
        ("tau / 2 - pi", 0),
        ("ln(e)", 1),
        ("log10(1000)", 3),
        ("log(8, 2)", 3),
        ("log(1000, 10)", 3),
        ("log(2, 8)", 1 / 3),
        ("asin(1) + acos(1)", math.pi / 2),
        ("atan2(1, -1)", math.pi * 3 / 4),
        ("tan(pi / 4)", 1),
        ("sqrt(2) - sqrt2", 0),
        ("exp(ln2) + exp(ln10)", 12),
        ("nroot(64, 3)", 4),
        ("nroot(-27, 3)", -3),
        ("nroot(16, -2)", 0.25),
        ("nroot(2, 0.5)", 4),
        ("cbrt(-8)", -2),
        ("abs(-5) + sign(-0.5)", 4),
        ("sign(0)", 0),
        ("round(2.5)", 3),
        ("round(-2.5)", -3),
        ("round(2.675, 2)", 2.68),
        ("round(1e300, 2)", 1e300),
        ("round(7)", 7),
        ("floor(-1.5) + ceil(-1.5) + trunc(-1.5)", -4),
        ("min(3, 1, 2) + max(1)", 2),
        ("pow(2, 10) + mod(-7, 3)", 1026),
        ("(-8)^3", -512),
        ("(-8)^3.0", -512),
        ("0^0", 1),
        ("(-1)^(10^900)", 1),
        ("10^999 // 10^998", 10),
    ],
)
def test_an_expression_has_its_value(expression: str, value: float) -> None:
    assert evaluate(expression) == pytest.approx(value, rel=1e-15, abs=1e-15)


@pytest.mark.parametrize("expression", ["2 * 3", "6 / 2", "2^70", "floor(2.5)", "round(2.4)", "abs(-3)", "-7 % 3"])
def test_integers_stay_integers(expression: str) -> None:
    assert isinstance(evaluate(expression), int)


@pytest.mark.parametrize(
    ("expression", "why"),
    [
        ("sqrt(-1)", "0 or more"),
        ("ln(0)", "above 0"),
        ("log10(-1)", "above 0"),
        ("log(0, 2)", "above 0"),
        ("log(2, 1)", "not 1"),
        ("log(2, -2)", "above 0"),
        ("asin(1.01)", "between -1 and 1"),
        ("acos(-2)", "between -1 and 1"),
        ("tan(pi / 2)", "odd multiple"),
        ("tan(-3 * pi / 2)", "odd multiple"),
        ("1 / 0", "division by zero"),
        ("1 // 0", "division by zero"),
        ("1 % 0", "division by zero"),
        ("mod(1, 0)", "division by zero"),
        ("0 ^ -1", "division by zero"),
        ("nroot(0, -1)", "division by zero"),
        ("nroot(2, 0)", "0th root"),
        ("nroot(-4, 2)", "odd degree"),
        ("(-8) ^ 0.5", "no real power"),
        ("round(1.5, 0.5)", "whole number"),
        ("exp(1000)", "too large"),
        ("cosh(1000)", "too large"),
        ("1e308 * 10", "too large"),
        ("1e999", "too large"),
        ("10 ^ 1000", "too large"),
        ("10 ^ 999 * 10", "too large"),
        ("10 ^ 500 + 0.5", "too large"),
        ("10.0 ^ 400", "too large"),
        ("sqrt(10 ^ 700)", "too large"),
    ],
)
async def test_where_there_is_no_value_the_reason_is_reported(expression: str, why: str) -> None:
    code, message = await Builtins().failure("calculator", expression=expression)
    assert code == "failed"
    assert why in message


@pytest.mark.parametrize(
    ("expression", "why"),
    [
        ("1 +", "not complete"),
        ("(1", "not complete"),
        ("1 2", "not complete"),
        ("x", "no constant 'x'"),
        ("nan", "no constant 'nan'"),
        ("inf", "no constant 'inf'"),
        ("sin", "no constant 'sin'"),
        ("factorial(9)", "no function 'factorial'"),
        ("__import__('os')", "no function '__import__'"),
        ("sin()", "takes 1 number, not 0"),
        ("log(5)", "takes 2 numbers, not 1"),
        ("sin(x=1)", "not arithmetic"),
        ("max(*[1])", "not arithmetic"),
        ("(1).real", "not arithmetic"),
        ("'a' * 9", "not arithmetic"),
        ("[1][0]", "not arithmetic"),
        ("1 < 2", "not arithmetic"),
        ("1 if 1 else 2", "not arithmetic"),
        ("1 << 2", "not arithmetic"),
        ("~1", "not arithmetic"),
        ("2j", "not arithmetic"),
        ("(lambda: 1)()", "not arithmetic"),
        ("True", "not numbers"),
        ("-" * 999 + "1", "nested too deeply"),
        ("\0", "not complete"),
    ],
)
async def test_what_is_no_arithmetic_is_an_invalid_argument(expression: str, why: str) -> None:
    code, message = await Builtins().failure("calculator", expression=expression)
    assert code == "invalid_arguments"
    assert why in message


@pytest.mark.parametrize(
    "expression",
    ["9**9**9", "10**10**10", "9^(9^9)", "(9^999)^999", "pow(9, pow(9, 9))", "(10^999)*(10^999)", "2^(10^900)"],
)
def test_immense_work_is_refused_at_once(expression: str) -> None:
    begun = time.perf_counter()
    assert isinstance(outcome(expression), ToolFailed)
    assert time.perf_counter() - begun < 0.1


def test_a_sum_that_fills_the_whole_length_is_computed() -> None:
    assert evaluate("+".join(["1"] * 500)) == 500


@pytest.mark.parametrize(("length", "fits"), [(1000, True), (1001, False)])
async def test_an_expression_has_at_most_a_thousand_characters(length: int, fits: bool) -> None:
    result = await Builtins().call("calculator", expression="1".rjust(length))
    assert (result.error is None) is fits


async def test_the_tool_gives_the_result_and_sums_it_up() -> None:
    result = await Builtins().call("calculator", expression="6 * 7")
    assert (result.value, result.summary) == ({"result": 42}, "6 * 7 = 42")


def outcome(expression: str) -> Any:
    try:
        return evaluate(expression)
    except ToolFailed as error:
        return error
