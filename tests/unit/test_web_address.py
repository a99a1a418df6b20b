"""Web addresses: one spelling for each, and which are public."""

import ipaddress

import pytest

from core.domain.text.web_address import is_origin, non_public_kind, parse_address, public_addresses, validated_origin

SPELLINGS = {
    "http://example.com": "http://example.com/",
    "HTTP://EXAMPLE.com:80/a b?q=é#part": "http://example.com/a%20b?q=%C3%A9",
    "https://example.com.:443/": "https://example.com/",
    "https://example.com:8443?x": "https://example.com:8443/?x",
    "http://bücher.example/": "http://xn--bcher-kva.example/",
    "http://\uff25\uff38\uff21MPLE\u3002com/": "http://example.com/",
    "http://[2606:4700:0:0:0:0:0:1111]:80/": "http://[2606:4700::1111]/",
    "http://0x7f.1/": "http://127.0.0.1/",
    "http://2130706433/": "http://127.0.0.1/",
    "http://0177.0.0.1/": "http://127.0.0.1/",
    "http://127.1/": "http://127.0.0.1/",
    "http://127.0.0.1./": "http://127.0.0.1/",
    "http://①②⑦.0.0.①/": "http://127.0.0.1/",
    "http://0xA9FEA9FE/": "http://169.254.169.254/",
    "http://0/": "http://0.0.0.0/",
    "http://[::ffff:127.0.0.1]/": "http://[::ffff:7f00:1]/",
    "http://localhost%2e/": None,
    "http://127.0.0.1.5/": None,
    "http://256.0.0.1/": None,
    "http://0x1ffffffff/": None,
    "http://09.0.0.1/": None,
    "http://1.2.3.0xg/": "http://1.2.3.0xg/",
    "http://" + "9" * 5000 + "/": None,
    "http://user:secret@example.com/": None,
    "http://example.com@127.0.0.1/": None,
    "http://@127.0.0.1/": None,
    "http://exa mple.com/": None,
    "http://example.com\\@127.0.0.1/": None,
    "http://example.com\t/": None,
    "http://example.com/\r\nHost: x": None,
    "http://[::1": None,
    "http://[fe80::1%25eth0]/": None,
    "http://[::1]x/": None,
    "http://example.com:99999/": None,
    "http://example.com:0/": None,
    "http://example.com:x/": None,
    "http://-a.com/": None,
    "http://a..b/": None,
    "http://" + "a" * 64 + ".com/": None,
    "http:///path": None,
    "http:example.com": None,
    "//example.com": None,
    "example.com": None,
    "": None,
    "file:///etc/passwd": None,
    "ftp://example.com/": None,
    "gopher://example.com/": None,
    "data:text/plain,x": None,
    "javascript:alert(1)": None,
    "http://example.com/" + "a" * 9000: None,
    "http://\ud800.com/": None,
    "http://☃☃☃☃" + "☃" * 80 + ".com/": None,
}


@pytest.mark.parametrize(("url", "expected"), SPELLINGS.items(), ids=[str(number) for number in range(len(SPELLINGS))])
def test_an_address_has_one_spelling_or_is_refused(url: str, expected: str | None) -> None:
    if expected is None:
        with pytest.raises(ValueError, match=r"^(it|its|0|the) ") as caught:
            parse_address(url)
        assert "secret" not in str(caught.value)
    else:
        assert parse_address(url).url == expected


PRIVATE = [
    "0.0.0.0",
    "0.1.2.3",
    "10.1.2.3",
    "100.64.0.1",
    "100.100.100.200",
    "127.0.0.1",
    "127.255.255.254",
    "169.254.169.254",
    "169.254.0.1",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "192.0.0.192",
    "192.0.2.1",
    "198.18.0.1",
    "203.0.113.1",
    "224.0.0.1",
    "239.1.1.1",
    "240.0.0.1",
    "255.255.255.255",
    "168.63.129.16",
    "::",
    "::1",
    "::7f00:1",
    "::ffff:127.0.0.1",
    "::ffff:8.8.8.8",
    "64:ff9b::7f00:1",
    "64:ff9b::8.8.8.8",
    "64:ff9b:1::1",
    "fe80::1",
    "fe80::1%1",
    "fec0::1",
    "fc00::1",
    "fd00:ec2::254",
    "ff02::1",
    "2001::1",
    "2001:db8::1",
    "2002:7f00:1::",
    "3fff::1",
    "4000::1",
    "100::1",
]
PUBLIC = [
    "1.1.1.1",
    "8.8.8.8",
    "100.63.255.255",
    "100.128.0.1",
    "172.15.0.1",
    "172.32.0.1",
    "2606:4700:4700::1111",
    "2a00:1450::1",
]


@pytest.mark.parametrize("ip", PRIVATE)
def test_what_is_not_on_the_public_internet_is_named(ip: str) -> None:
    assert non_public_kind(ipaddress.ip_address(ip))
    assert public_addresses([ip]) == []


def test_the_rest_is_public() -> None:
    assert public_addresses([*PUBLIC, "no address", *PRIVATE]) == PUBLIC


@pytest.mark.parametrize(
    ("place", "origin"),
    [
        ("http://127.0.0.1:8000", "http://127.0.0.1:8000"),
        ("HTTP://LOCALHOST:80/", "http://localhost"),
        ("https://[::1]:8443", "https://[::1]:8443"),
        ("http://0x7f.1:80", "http://127.0.0.1"),
        ("http://a/path", None),
        ("http://a?q", None),
        ("http://user@a", None),
        ("ftp://a", None),
        ("http://", None),
    ],
)
def test_an_origin_that_the_user_enters_is_parsed_like_an_address(place: str, origin: str | None) -> None:
    assert is_origin(place)
    if origin is None:
        with pytest.raises(ValueError, match=r"^(it|an origin) "):
            validated_origin(place)
    else:
        assert validated_origin(place) == origin


@pytest.mark.parametrize("folder", ["/data", "C:\\data", "http", "./http:x", "~"])
def test_a_folder_is_no_origin(folder: str) -> None:
    assert not is_origin(folder)
