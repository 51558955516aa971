from quacklake.sql.words import closing, words_of


def test_comments_and_spaces_are_no_words():
    assert [word.text for word in words_of("a -- b\n/* c */ d")] == ["a", "d"]


def test_quotes_keep_what_they_hold_together():
    text = """'it''s' "a ""b" $$x 'y'$$ $t$ $$ $t$ e'\\'q'"""

    assert [word.text for word in words_of(text)] == [
        "'it''s'",
        '"a ""b"',
        "$$x 'y'$$",
        "$t$ $$ $t$",
        "e'\\'q'",
    ]


def test_places_are_those_of_characters_not_bytes():
    (first, second) = words_of("é t")

    assert (first.start, first.end, second.start) == (0, 1, 2)


def test_a_parenthesis_in_quotes_closes_nothing():
    words = words_of("(a ')' (b))")

    assert words[closing(words, 0)].start == 10
