from ipaddress import ip_address

import pytest

from assent.channels.targets import TargetRules, is_public
from assent.errors import TargetRefused

CLOSED_ADDRESSES = [
    *("0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "100.100.100.200", "127.0.0.1", "127.9.9.9"),
    *("169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.192", "192.0.2.1"),
    *("192.88.99.1", "192.168.1.1", "198.18.0.1", "198.51.100.1", "203.0.113.1", "224.0.0.1"),
    *("239.255.255.255", "240.0.0.1", "255.255.255.255", "168.63.129.16"),
    *("::", "::1", "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:a9fe:a9fe"),
    *("fc00::1", "fd00:ec2::254", "fe80::1", "fe80::1%eth0", "fec0::1", "ff02::1"),
    *("64:ff9b::10.0.0.1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::8.8.8.8", "100::1"),
    *("2001::1", "2001:0:4136:e378:8000:63bf:3fff:fdd2", "2001:db8::1", "3fff::1"),
    *("2002:7f00:1::1", "2002:a00:1::1", "2002:808:808::1", "5f00::1", "2606:4700::1%eth0"),
]
OPEN_ADDRESSES = [
    *("8.8.8.8", "1.1.1.1", "93.184.215.14", "172.15.0.1", "172.32.0.1", "100.63.0.1"),
    *("100.128.0.1", "169.253.1.1", "2606:4700:4700::1111", "2a00:1450:4001::1"),
    *("64:ff9b::8.8.8.8", "::ffff:8.8.8.8"),
]


# requirement: W8
@pytest.mark.parametrize("address", CLOSED_ADDRESSES)
def test_an_address_that_is_not_public_is_closed(address: str) -> None:
    assert not is_public(ip_address(address))
    with pytest.raises(TargetRefused, match="not public"):
        TargetRules().check_address("example.com", ip_address(address))


@pytest.mark.parametrize("address", OPEN_ADDRESSES)
def test_a_public_address_is_open(address: str) -> None:
    assert is_public(ip_address(address))
    TargetRules().check_address("example.com", ip_address(address))


# requirement: W8
@pytest.mark.parametrize(
    "url",
    [
        *("http://example.com/", "ftp://example.com/", "file:///etc/passwd", "unix:///run/x"),
        *("", "x", "//example.com/", "https://", "https:example.com", " https://example.com/"),
        *("https://ada@example.com/", "https://ada:pw@example.com/", "https://:@example.com/"),
        *("https://example.com\\@evil.test/", "https://example.com:pw@127.0.0.1/"),
        *("https://example.com:22/", "https://example.com:0/", "https://example.com:80/"),
        *("https://example.com:99999/", "https://example.com:5432/"),
        *("https://localhost/", "https://LOCALHOST./", "https://x.localhost/", "https://intranet/"),
        *("https://printer.local/", "https://printer.local./", "https://PRINTER.LOCAL/"),
        *("https://metadata.google.internal/", "https://box.home.arpa/", "https://example..com/"),
        *("https://127.0.0.1/", "https://[::1]/", "https://[::ffff:127.0.0.1]/"),
        *("https://[fe80::1%25eth0]/", "https://[fd00:ec2::254]/", "https://169.254.169.254/"),
        *("https://2130706433/", "https://0x7f000001/", "https://0x7f.0.0.1/", "https://127.1/"),
        *("https://0177.0.0.1/", "https://017700000001/", "https://127.0.0.1./", "https://0/"),
        *("https://127\u30020\u30020\u30021/", "https://\uff11\uff12\uff17.0.0.1/"),
        *("https://\u24dbocalhost/", "https://%6cocalhost/", "https://ex%61mple.com/"),
        *("https://printer.\uff4cocal/", "https://example.com%00.evil.test/"),
        *("https://exam ple.com/", "https://example.com/\r\nHost: evil", "https://exa\tmple.com/"),
        "https://example.com/" + "x" * 2000,
    ],
)
def test_a_hostile_url_is_refused(url: str) -> None:
    with pytest.raises(TargetRefused):
        TargetRules().checked(url)


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://example.com/hook?a=b", b"example.com"),
        ("https://example.com:8443/", b"example.com"),
        ("https://Example.COM./", b"example.com."),
        ("https://b\u00fccher.example/", b"xn--bcher-kva.example"),
        ("https://8.8.8.8/", b"8.8.8.8"),
        ("https://[2606:4700:4700::1111]/", b"2606:4700:4700::1111"),
    ],
)
def test_a_public_url_is_taken(url: str, host: bytes) -> None:
    assert TargetRules().checked(url).raw_host == host


def test_the_operator_opens_what_they_name_and_nothing_beside_it() -> None:
    rules = TargetRules.allowing("10.1.0.0/16", "127.0.0.1", "Hooks.Lan", plain_http=True)

    rules.checked("http://127.0.0.1:5000/")
    rules.checked("https://[::ffff:10.1.2.3]:5000/")
    rules.checked("http://hooks.lan:5000/")
    rules.check_address("hooks.lan", ip_address("192.168.0.7"))
    rules.check_address("example.com", ip_address("10.1.2.3"))
    for url in (
        "http://127.0.0.2/",
        "https://10.2.0.1/",
        "https://other.lan/",
        "http://x.hooks.lan/",
    ):
        with pytest.raises(TargetRefused):
            rules.checked(url)
    with pytest.raises(TargetRefused):
        rules.check_address("other.example", ip_address("192.168.0.7"))


def test_plain_http_stays_on_its_ports() -> None:
    rules = TargetRules(plain_http=True)

    rules.checked("http://example.com/")
    rules.checked("http://example.com:8080/")
    with pytest.raises(TargetRefused, match="port 25"):
        rules.checked("http://example.com:25/")


def test_a_network_written_wrongly_is_an_error_and_no_host() -> None:
    with pytest.raises(ValueError, match="host bits"):
        TargetRules.allowing("10.0.0.1/8")


def test_the_refusal_says_why_without_the_rest_of_the_url() -> None:
    with pytest.raises(TargetRefused) as refused:
        TargetRules().checked("https://ada:hunter2@example.com/token")

    assert "hunter2" not in str(refused.value)
    assert "token" not in str(refused.value)
    assert refused.value.host == "example.com"
