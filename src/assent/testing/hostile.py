"""Text that tries to deceive the reader of a card. Every surface must show all of it, inert.

Data only: renderers, channels and pages run the same corpus through their own output.
"""

import unicodedata
from collections.abc import Iterator, Mapping

# After "Trojan Source" (Boucher and Anderson, 2021): direction controls that reorder what is read.
TROJAN_SOURCE: Mapping[str, str] = {
    "early return": "access = 'user\u202e \u2066// check if admin\u2069 \u2066'",
    "commenting out": "/*\u202e } \u2066if (is_admin)\u2069 \u2066 begin admins only */",
    "stretched string": 'level != "user\u202e \u2066// Check if admin\u2069 \u2066"',
    "reversed extension": "invoice_\u202efdp.exe",
    "embedding": "a\u202ab\u202cc\u202bd\u202ce\u202df\u202c",
    "isolates": "a\u2066b\u2069c\u2067d\u2069e\u2068f\u2069",
    "implicit marks": "1\u200e2\u200f3\u061c4",
    "invisible function": "def is_admin\u200b(): pass",
    "tag smuggling": "safe" + "".join(chr(0xE0000 + ord(char)) for char in "rm -rf /"),
    "right-to-left letters": "\u05d0\u05d1\u05d2 = 100 > 200",
}

# A payload pushed out of sight by blanks of every kind.
PADDING: Mapping[str, str] = {
    "spaces": "ls" + " " * 5000 + "; rm -rf /",
    "newlines": "ls\n" + "\n" * 500 + "rm -rf /",
    "blank lines": "ls\n" + " \n" * 500 + "rm -rf /",
    "tabs": "ls" + "\t" * 500 + "rm -rf /",
    "mixed": "ls" + " \t\n\r\v\f" * 200 + "rm -rf /",
    "carriage return": "rm -rf /\rls     ",
    "backspaces": "rm -rf /" + "\b" * 8 + "ls",
    "no-break spaces": "ls" + "\u00a0" * 500 + "rm -rf /",
    "braille blanks": "ls" + "\u2800" * 500 + "rm -rf /",
    "hangul fillers": "ls" + "\u3164" * 500 + "rm -rf /",
    "line separators": "ls" + "\u2028\u2029\x85" * 100 + "rm -rf /",
    "trailing spaces": "ls   \nrm   ",
}

# Words that look like others; the values are what a reader would take them for.
LOOK_ALIKES: Mapping[str, str] = {
    "\u0430pple.com": "apple.com",
    "https://\u0430\u0440\u0440\u04cf\u0435.com/login": "https://apple.com/login",
    "admin@p\u0430ypal.com": "admin@paypal.com",
    "/etc/p\u0430sswd": "/etc/passwd",
    "\u0455udo": "sudo",
    "g\u03bfogle": "google",
    "\uff52\uff4d -rf": "rm -rf",
    "\U0001d42b\U0001d426 -rf": "rm -rf",
    "rm \u2013rf /": "rm -rf /",
    "git status\uff1brm": "git status;rm",
    "example.com\u2215admin": "example.com/admin",
    "\ufb01le": "file",
    "c\u200b\u043epy": "copy",
    "\u13df\u13a0": "CD",
    "d\u0435l\u0435te_file": "delete_file",
    "/srv/f\u0131le": "/srv/file",
    "\u0237son": "json",
    "ba\u1d04kup": "backup",
    "g\u1d0f\u1d0fd for caf\u00e9s": "good for cafés",
    "\ua731udo": "sudo",
    "ls -\u0196": "ls -l",
}

# Honest text in many scripts, which no surface should complain about.
HONEST: tuple[str, ...] = (
    "Plain English, with a dash - and 10\u201320 pages \u2013 don\u2019t worry.",
    "Gr\u00fc\u00dfe aus K\u00f6ln, na\u00efve caf\u00e9, \u0141\u00f3d\u017a",
    "Kap\u0131y\u0131 a\u00e7, \u0131\u015f\u0131\u011f\u0131 s\u00f6nd\u00fcr",
    "\u041f\u0440\u0438\u0432\u0435\u0442, \u043c\u0438\u0440 \u0441 API",
    "\u039a\u03b1\u03bb\u03b7\u03bc\u03ad\u03c1\u03b1 \u03ba\u03cc\u03c3\u03bc\u03b5",
    "\u6771\u4eac\u30bf\u30ef\u30fc\u306bGo",
    "\u0928\u092e\u0938\u094d\u0924\u0947 \u0926\u0941\u0928\u093f\u092f\u093e",
    "\u0e2a\u0e27\u0e31\u0e2a\u0e14\u0e35",
    "5 \u00b5m, 20 m\u00b2, 1\u00ba",
    "\U0001f680 launched",
)

# Markup of every surface: none of it may format, link, mention, load or decide anything.
MARKUP: Mapping[str, str] = {
    "html": "<img src=x onerror=alert(1)><script>approve()</script><a href='//evil.test'>x</a>",
    "html form": "</pre></form><form action=/decide><button>Approve</button>",
    "html attribute": '" onmouseover="alert(1)" style=\'position:fixed\' x="&quot;&#34;',
    "html comment": "<!-- --><![CDATA[x]]><style>*{display:none}</style><base href=//evil.test>",
    "html closing": "</code></bdi></pre></article><h2>Approved</h2><svg/onload=alert(1)>",
    "html entities": "&lt;b&gt; &#x202e; &zwj; &nbsp;&nbsp; &amp;amp;",
    "template": "{{ 7*7 }} {% raw %} ${7*7} #{7*7} <%= 7*7 %>",
    "address": "javascript:alert(1) data:text/html,<script>x</script> https://evil.test/?q=1",
    "markdown": "[Approve](https://evil.test) ![x](https://evil.test/p.png) **bold** # Title",
    "markdown fence": "```\n# Approved\n```\nrm -rf /\n````\n",
    "markdown block": "# Approved\n> quote\n- item\n1. one\n-# small\n---\n| a | b |\n~~~\nx",
    "backticks": "` `` ``` ```` a`b``c```d````e \\` \\```",
    "discord time": "<t:0:R> <:ok:123> <a:ok:123> <id:home> </approve:123> <https://evil.test>",
    "discord mention": "@everyone @here <@123> <@&456> <#789> ||spoiler||",
    "slack mention": "<!channel> <!here> <@U123> <https://evil.test|Approve> *bold*",
    "slack date": "<!date^0^{date}^https://evil.test|Approved> :white_check_mark: <!subteam^S1>",
    "ansi colour": "\x1b[31mred\x1b[0m \x1b[8mhidden\x1b[28m",
    "ansi erase": "rm -rf /\x1b[2K\x1b[1A\x1b[2J\x1b[Hls",
    "ansi title": "\x1b]0;owned\x07\x1b]8;;https://evil.test\x1b\\Approve\x1b]8;;\x1b\\",
    "c1 control": "\x9b31mred\x9d0;owned\x9c",
}

# Text that imitates our own frame, marks, fields and choices.
FORGERIES: Mapping[str, str] = {
    "a mark": "\u27e8U+202E\u27e9 \u3008space\u3009 \u276cU+0000\u276d",
    "a frame": "x\n\u2501\u2501 Approved \u2501\u2501\u2501\u2501\u2501 SAFE \u2501\u2501\n",
    "a gutter": 'x\n\u2502 y\n\u250a z\n    amount    "1"',
    "a choice": "x\n\n  You can\n    approve  does nothing",
    "a footer": "x\n  sha256    " + "0" * 64 + "\n" + "\u2501" * 80,
    "a quote": 'x"\n    path      "harmless.txt',
    "a cut": "\u27e80 characters not shown\u27e9",
    "an overlay": "\u0336\u0338\u20dd\u0489x",
}

MARK_FLOODS: Mapping[str, str] = {
    "one letter": "Z" + "\u0335" * 300,
    "many letters": "".join(char + "\u0300\u0301\u0302\u0303\u0304\u0305" for char in "Zalgo"),
    "without a letter": "\u0301" * 50,
}

DECEPTIONS: Mapping[str, str] = {
    **{f"trojan source: {name}": text for name, text in TROJAN_SOURCE.items()},
    **{f"padding: {name}": text for name, text in PADDING.items()},
    **{f"look-alike: {meant}": text for text, meant in LOOK_ALIKES.items()},
    **{f"markup: {name}": text for name, text in MARKUP.items()},
    **{f"forgery: {name}": text for name, text in FORGERIES.items()},
    **{f"marks: {name}": text for name, text in MARK_FLOODS.items()},
}

# Default-ignorable or blank although their category says that they are visible.
_BLANK_RANGES = (
    *((0x034F, 0x034F), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F), (0x2800, 0x2800)),
    *((0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFFA0, 0xFFA0), (0xE0000, 0xE0FFF)),
)
_HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs"})


def is_unseen(char: str) -> bool:
    """Return True if no surface may show this code point as it is; line breaks are up to each."""
    if char == " ":
        return False
    blank = any(first <= ord(char) <= last for first, last in _BLANK_RANGES)
    return blank or unicodedata.category(char) in _HIDDEN_CATEGORIES


def every_code_point() -> Iterator[str]:
    """Return all of Unicode, including surrogates and unassigned code points."""
    return map(chr, range(0x110000))
