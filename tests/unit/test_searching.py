"""Full-text search: words, phrases, and where they match."""

import pytest

from core.domain.text.search import Term, find_spans, fold_case, parse_query, terms_pattern, text_pattern


def found(query: str, text: str) -> list[str]:
    pattern = text_pattern(query)
    return [text[span.start : span.end] for span in find_spans(pattern, text)] if pattern is not None else []


def marked(query: str, text: str) -> list[str]:
    pattern = terms_pattern(parse_query(query))
    return [text[span.start : span.end] for span in find_spans(pattern, text)] if pattern is not None else []


@pytest.mark.parametrize(
    ("query", "text", "places"),
    [
        ("ete", "un ÉTÉ, e\u0301te\u0301", ["ÉTÉ", "e\u0301te\u0301"]),
        ("coeur", "Cœur coeur", ["Cœur", "coeur"]),
        ("STRASSE", "Straße", ["Straße"]),
        ("office", "oﬃce", ["oﬃce"]),
        ("the  end", "The\nEnd", ["The\nEnd"]),
        ("a.*b", "a.*b aXXb", ["a.*b"]),
        ("中文", "这是中文的", ["中文"]),
        ("", "anything", []),
        ("\0\ud800", "any thing", []),
    ],
)
def test_a_text_is_found_without_case_and_accents_as_it_is_written(query: str, text: str, places: list[str]) -> None:
    assert found(query, text) == places


def test_words_are_whole_but_for_the_last_one_that_is_still_typed() -> None:
    assert marked("cat do", "concat cat cats dog undo") == ["cat", "do"]
    assert marked('"cat do"', "cat do cat dog") == ["cat do"]
    assert marked('"cat do', "cat do cat dog") == ["cat do", "cat do"]


@pytest.mark.parametrize("query", ["", "   ", '"', '""', "* ^ : ( ) - + !", "\0", "\ud800", "🙂", "\u0301"])
def test_a_query_without_a_letter_asks_for_nothing(query: str) -> None:
    assert parse_query(query) == ()
    assert terms_pattern(parse_query(query)) is None


def test_no_sign_is_an_operator() -> None:
    assert parse_query("NOT a OR NEAR(b*") == (Term(("not",)), Term(("a",)), Term(("or",)), Term(("near", "b")))


def test_a_huge_query_is_cut() -> None:
    assert len(parse_query("x " * 100_000)) <= 16
    assert text_pattern("é" * 1_000_000) is not None


def test_scripts_without_spaces_are_found_inside() -> None:
    assert marked("文测", "中文测试") == ["文测"]
    assert marked("한국", "대한국어") == ["한국"]


@pytest.mark.parametrize("text", ["Éßœ", "ﬁ", "İ", "\u212a", "ǅ", "ΐ", "\uff21\uff11"])
def test_folding_again_changes_nothing(text: str) -> None:
    assert fold_case(fold_case(text)) == fold_case(text)
    assert found(fold_case(text), text) == [text]
