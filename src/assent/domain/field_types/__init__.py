"""The table of field types: one row says how a type is drawn, read and described.

Every surface reads the row and knows the few controls, never the types. Answers come from people
and models: a reader returns a value it has checked, or refuses without repeating it.
"""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from assent.domain.countries import COUNTRIES
from assent.domain.field_types import (
    addresses,
    choices,
    moments,
    money,
    numbers,
    searches,
    tables,
    texts,
    zoned_times,
)
from assent.domain.field_types.kinds import Control, FieldKind, Typing, refuse, several
from assent.domain.file_fields import FILE_DEFAULTS, file_keys, file_schema, read_files

__all__ = ["FIELD_KINDS", "Control", "FieldKind", "FieldType", "refuse"]


class FieldType(StrEnum):
    """The type of value that a field takes."""

    TEXT = "text"
    NUMBER = "number"
    BOOLEAN = "boolean"
    SELECT = "select"
    MULTI_SELECT = "multi_select"
    DATE = "date"
    MULTILINE = "multiline"
    SECRET = "secret"  # noqa: S105 - the name of a type, not a password
    TIME = "time"
    EMAIL = "email"
    URL = "url"
    PHONE = "phone"
    COUNTRY = "country"
    CODE = "code"
    CONSENT = "consent"
    MONEY = "money"
    DATETIME = "datetime"
    KEY_VALUE = "key_value"
    ROWS = "rows"
    SEARCH = "search"
    FILE = "file"


FIELD_KINDS: Final[Mapping[FieldType, FieldKind]] = MappingProxyType(
    {
        FieldType.TEXT: FieldKind(
            control=Control.LINE,
            read=texts.read_line,
            schema=texts.text_schema,
            takes_pattern=True,
        ),
        FieldType.MULTILINE: FieldKind(
            control=Control.LINES,
            read=texts.read_lines,
            schema=texts.text_schema,
            takes_pattern=True,
        ),
        FieldType.CODE: FieldKind(
            control=Control.CODE,
            read=texts.read_lines,
            schema=texts.code_schema,
            takes_pattern=True,
            settings=frozenset({"language"}),
        ),
        FieldType.SECRET: FieldKind(
            control=Control.HIDDEN,
            read=texts.read_text,
            schema=texts.secret_schema,
            takes_pattern=True,
        ),
        FieldType.EMAIL: FieldKind(
            control=Control.LINE,
            read=addresses.read_email,
            schema=addresses.email_schema,
            takes_pattern=True,
            hint="name@example.com",
            typing=Typing(mode="email", fill="email"),
        ),
        FieldType.URL: FieldKind(
            control=Control.LINE,
            read=addresses.read_url,
            schema=addresses.url_schema,
            takes_pattern=True,
            settings=frozenset({"schemes"}),
            hint="https://…",
            typing=Typing(mode="url", fill="url"),
        ),
        FieldType.PHONE: FieldKind(
            control=Control.LINE,
            read=addresses.read_phone,
            schema=addresses.phone_schema,
            takes_pattern=True,
            hint="+49 30 1234567",
            typing=Typing(mode="tel", fill="tel"),
        ),
        FieldType.NUMBER: FieldKind(
            control=Control.NUMBER,
            read=numbers.read_number,
            schema=numbers.number_schema,
            join=numbers.join_number,
            takes_pattern=True,
            takes_bounds=True,
            hint="a number",
            typing=Typing(mode="decimal"),
        ),
        FieldType.DATE: FieldKind(
            control=Control.DATE,
            read=moments.read_date,
            schema=moments.date_schema,
            takes_pattern=True,
            hint="YYYY-MM-DD",
        ),
        FieldType.TIME: FieldKind(
            control=Control.TIME,
            read=moments.read_time,
            schema=moments.time_schema,
            takes_pattern=True,
            hint="HH:MM",
        ),
        FieldType.DATETIME: FieldKind(
            control=Control.MOMENT,
            read=zoned_times.read_datetime,
            schema=zoned_times.datetime_schema,
            hint="2026-01-31 14:30 Europe/Berlin",
            spell=zoned_times.spell_datetime,
            split=zoned_times.split_datetime,
            join=zoned_times.join_datetime,
        ),
        FieldType.FILE: FieldKind(
            control=Control.FILE,
            read=read_files,
            schema=file_schema,
            settings=frozenset(FILE_DEFAULTS),
            split=file_keys,
            join=several,
        ),
        FieldType.MONEY: FieldKind(
            control=Control.MONEY,
            read=money.read_money,
            schema=money.money_schema,
            takes_bounds=True,
            settings=frozenset({"currencies"}),
            hint="12.50 EUR",
            spell=money.spell_money,
            split=money.split_money,
            join=money.join_money,
        ),
        FieldType.KEY_VALUE: FieldKind(
            control=Control.PAIRS,
            read=tables.read_pairs,
            schema=tables.pairs_schema,
            settings=frozenset({"max_rows"}),
            hint="a line for each: name = value",
            spell=tables.spell_pairs,
            split=tables.split_pairs,
            join=tables.join_pairs,
        ),
        FieldType.ROWS: FieldKind(
            control=Control.TABLE,
            read=tables.read_rows,
            schema=tables.rows_schema,
            settings=frozenset({"columns", "max_rows"}),
            hint="a line for each row, with | between its cells",
            spell=tables.spell_rows,
            split=tables.split_rows,
            join=tables.join_rows,
        ),
        FieldType.BOOLEAN: FieldKind(
            control=Control.YES_NO,
            read=choices.read_boolean,
            schema=choices.boolean_schema,
        ),
        FieldType.CONSENT: FieldKind(
            control=Control.CONSENT,
            read=choices.read_consent,
            schema=choices.consent_schema,
            split=choices.ticked,
            join=choices.agreed,
        ),
        FieldType.SELECT: FieldKind(
            control=Control.CHOICE,
            read=choices.read_choice,
            schema=choices.choice_schema,
        ),
        FieldType.COUNTRY: FieldKind(
            control=Control.CHOICE,
            read=choices.read_country,
            schema=choices.choice_schema,
            hint="a country or its code, such as DE",
            typing=Typing(fill="country"),
            known=COUNTRIES,
        ),
        FieldType.SEARCH: FieldKind(
            control=Control.SEARCH,
            read=searches.read_found,
            schema=searches.found_schema,
            settings=frozenset({"search"}),
            spell=searches.spell_found,
            split=searches.split_found,
        ),
        FieldType.MULTI_SELECT: FieldKind(
            control=Control.CHOICES,
            read=choices.read_choices,
            schema=choices.choices_schema,
            join=several,
        ),
    }
)
