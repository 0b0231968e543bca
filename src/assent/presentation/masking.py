"""Secrets that nobody declared: tokens by their looks, values by the name of their field.

What is masked runs all the same, so a mask never covers a character that means something to a
shell, a path or an address: only letters, digits, `_` and `-`.
"""

import re
from collections.abc import Iterator

Span = tuple[int, int]

_BODY = r"[A-Za-z0-9_][A-Za-z0-9_-]"
_BODY_CHARS = 16
_VALUE_CHARS = 8
# How the keys of well-known services begin; what follows is the secret part.
_PREFIXED = re.compile(
    r"(?<![A-Za-z0-9_-])(?:sk-(?:proj-|ant-[a-z]+[0-9]+-|or-v1-|svcacct-)?|[rs]k_(?:live|test)_"
    r"|whsec_|gh[opsur]_|github_pat_|glpat-|xox[abeoprs]-|xapp-|AKIA|ASIA|AIza|npm_|pypi-|hf_"
    rf"|dop_v1_|shpat_|SG\.)(?P<body>{_BODY}{{15,}})"
)
_JWT = re.compile(r"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]{8,}){1,2}")
_JWT_PART = re.compile(rf"{_BODY}*")
_BEARER = re.compile(rf"(?i:\bbearer) +(?P<body>{_BODY}{{15,}})")
_ASSIGNED = re.compile(
    r"(?i:password|passwd|passphrase|secret|token|api[_-]?key|access[_-]?key)"
    rf"\\?[\"']? *[=:] *\\?[\"']?(?P<body>{_BODY}{{7,}})"
)
# One of these is in every text that any of the patterns finds something in.
_TRIGGERS = (
    *("passw", "passphrase", "secret", "token", "key", "bearer ", "sk-", "sk_", "rk_", "whsec_"),
    *("gho_", "ghp_", "ghs_", "ghu_", "ghr_", "github_pat_", "glpat-", "xox", "xapp-", "akia"),
    *("asia", "aiza", "npm_", "pypi-", "hf_", "dop_v1_", "shpat_", "sg.", "eyj"),
)
_WHOLE = re.compile(rf"{_BODY}*")
_NAME_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_PASSWORDS = frozenset({"password", "passwd", "passphrase", "pwd"})
_SECRETS = frozenset({"secret", "token", "apikey", "accesskey", "privatekey", "credential"})


def secret_spans(text: str) -> list[Span]:
    """Where a text holds what looks like a secret: sorted, and never overlapping."""
    lowered = text.lower()
    if not any(trigger in lowered for trigger in _TRIGGERS):
        return []
    spans: list[Span] = []
    for span in sorted({*_keys(text), *_tokens(text)}):
        if not spans or span[0] >= spans[-1][1]:
            spans.append(span)
    return spans


def is_secret(name: str, text: str) -> bool:
    """Whether a field of this name keeps a secret in this text, and a mask would hide no more."""
    words = [word.lower() for word in _NAME_PART.findall(name)]
    if not words or _WHOLE.fullmatch(text) is None:
        return False
    if words[-1] in _PASSWORDS:
        return True
    named = words[-1] in _SECRETS or "".join(words[-2:]) in _SECRETS
    return named and len(text) >= _VALUE_CHARS and _is_random(text)


def _keys(text: str) -> Iterator[Span]:
    for pattern in (_PREFIXED, _BEARER, _ASSIGNED):
        for match in pattern.finditer(text):
            if _is_random(match["body"]):
                yield match.span("body")


def _tokens(text: str) -> Iterator[Span]:
    """The parts of a JSON web token; the dots between them stay."""
    for token in _JWT.finditer(text):
        for part in _JWT_PART.finditer(text, token.start(), token.end()):
            if part.end() > part.start():
                yield part.span()


def _is_random(text: str) -> bool:
    # Words have no digits in them: `token=delete-everything` says something and stays.
    digits = sum(char.isdigit() for char in text)
    return 0 < digits < len(text)
