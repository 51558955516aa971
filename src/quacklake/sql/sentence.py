"""One statement of our own, read from left to right; Spark's rules say what is a word."""

from __future__ import annotations

import re
from typing import Final, NoReturn, TypeAlias

from sqlglot import Token, TokenType, tokenize
from sqlglot.errors import SqlglotError

from quacklake.client.references import DEFAULT_SCHEMA
from quacklake.format.table import TableName
from quacklake.kernel.errors import UsageError

Setting: TypeAlias = tuple[str, str | None]
"""The name of a setting in small letters, and its value; NULL is None."""

_PLAIN: Final = re.compile(r"[^\W\d]\w*")
_WORDS: Final = frozenset({"AS", "CASCADE", "FROM", "IF", "SELECT", "SET", "TABLE", "WITH"})
"""What a name is not, unless it is quoted: where one is missing, it is the next to come."""


class Sentence:
    """The words of a statement, read from left to right."""

    def __init__(self, text: str) -> None:
        self._text = text
        try:
            self._tokens = tokenize(text, read="spark")
        except SqlglotError as error:
            raise UsageError(
                "the statement is not valid SQL: a string, a quoted name or a comment is not closed"
            ) from error
        self._at = 0

    def upper(self) -> str:
        """The word that comes next as keywords are compared; nothing for what is quoted."""
        token = self._token()
        return "" if token is None or _is_quoted(token) else token.text.upper()

    def took(self, *wanted: str) -> bool:
        """Whether these words come next; if they do, they are passed."""
        start = self._at
        for word in wanted:
            if self.upper() != word:
                self._at = start
                return False
            self._at += 1
        return True

    def take(self, word: str, usage: str) -> None:
        """Pass a word that must come next."""
        if not self.took(word):
            self.wrong(f"{word} is expected", usage)

    def name(self, usage: str) -> TableName:
        """A table's name, `name` or `schema.name`."""
        parts = [self._part(usage)]
        while self.took("."):
            parts.append(self._part(usage))
        if len(parts) > 2:  # noqa: PLR2004 - a schema and a table
            raise UsageError(f"'{'.'.join(parts)}' is not a table name", hint="write schema.table")
        return TableName(*parts) if len(parts) > 1 else TableName(DEFAULT_SCHEMA, parts[0])

    def _part(self, usage: str) -> str:
        token = self._token()
        quote = "" if token is None else self._text[token.start]
        if quote == '"':
            return self._double_quoted()
        is_plain = _PLAIN.fullmatch(self.upper()) and self.upper() not in _WORDS
        if token is None or not (quote == "`" or is_plain):
            self.wrong("the name of a stream table is expected", usage)
        self._at += 1
        return token.text

    def _double_quoted(self) -> str:
        """A name in double quotes: for Spark a string, or several where a quote is doubled."""
        texts: list[str] = []
        end = -1
        while (token := self._token()) is not None and self._text[token.start] == '"':
            if texts and token.start != end + 1:
                break
            texts.append(token.text)
            end = token.end
            self._at += 1
        return '"'.join(texts)

    def settings(self, usage: str) -> tuple[Setting, ...]:
        """`(name = value, …)`; a value is a string, a word, a number or NULL."""
        self.take("(", usage)
        found: dict[str, str | None] = {}
        while True:
            name = self.upper()
            if not _PLAIN.fullmatch(name):
                self.wrong("the name of a setting is expected", usage)
            self._at += 1
            self.take("=", usage)
            if name.lower() in found:
                raise UsageError(f"setting '{name.lower()}' is given twice")
            found[name.lower()] = self.value(usage)
            if self.took(")"):
                return tuple(found.items())
            self.take(",", usage)

    def value(self, usage: str) -> str | None:
        """A string, a word or a number; NULL is None."""
        token = self._token()
        if token is None or not (_is_quoted(token) or re.fullmatch(r"[\w.]+", token.text)):
            self.wrong("a value is expected", usage)
        self._at += 1
        return None if token.token_type is TokenType.NULL else token.text

    def string(self, usage: str) -> str:
        """A string in quotes."""
        token = self._token()
        if token is None or token.token_type is not TokenType.STRING:
            self.wrong("a text in quotes is expected", usage)
        self._at += 1
        return token.text

    def query(self, usage: str) -> str:
        """All that follows, as it is written, up to a last semicolon."""
        first = self._at
        start = self._tokens[first - 1].end + 1 if first else 0
        while (token := self._token()) and token.token_type is not TokenType.SEMICOLON:
            self._at += 1
        if self._at == first:
            raise UsageError("the query is missing", hint=usage)
        return self._text[start : None if token is None else token.start].strip()

    def end(self) -> None:
        """Nothing may follow but semicolons."""
        while self.took(";"):
            pass
        token = self._token()
        if token is not None and self._tokens[self._at - 1].token_type is TokenType.SEMICOLON:
            raise UsageError("there are several statements", hint="run one at a time")
        if token is not None:
            shown = self._text[token.start : token.end + 1]
            raise UsageError(f"the statement is not valid SQL: '{shown}' is not expected")

    def wrong(self, problem: str, usage: str) -> NoReturn:
        """Say what is not as it should be at the next word."""
        token = self._token()
        where = "at the end"
        if token is not None:
            where = f"at '{self._text[token.start : token.end + 1]}'"
        raise UsageError(f"the statement is not valid SQL: {problem} {where}", hint=usage)

    def _token(self) -> Token | None:
        return self._tokens[self._at] if self._at < len(self._tokens) else None


def _is_quoted(token: Token) -> bool:
    return token.token_type in (TokenType.STRING, TokenType.IDENTIFIER)


def one_query(text: str) -> str:
    """The text of a query without what ends a statement."""
    words = Sentence(text)
    found = words.query("write a SELECT")
    words.end()
    return found
