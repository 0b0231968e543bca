"""Currencies in use: the codes of ISO 4217, and how many digits each has after the dot."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

_WITHOUT: Final = "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF"
_WITH_TWO: Final = """
AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CNY
COP CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF
IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR
MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG
SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD UYU UZS VED VES
WST XCD XCG YER ZAR ZMW ZWG
"""
_WITH_THREE: Final = "BHD IQD JOD KWD LYD OMR TND"


def _by_code() -> dict[str, int]:
    digits = {0: _WITHOUT, 2: _WITH_TWO, 3: _WITH_THREE}
    found = {code: count for count, codes in digits.items() for code in codes.split()}
    return dict(sorted(found.items()))


CURRENCIES: Final[Mapping[str, int]] = MappingProxyType(_by_code())
