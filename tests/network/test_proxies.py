"""Which proxy an address is reached through, by the variables of the environment."""

import pytest

from core.network.proxies import UnusableProxy, proxy_for

FAR = "https://api.example.com/v1"


@pytest.mark.parametrize(
    ("url", "environment", "expected"),
    [
        (FAR, {}, None),
        (FAR, {"HTTPS_PROXY": "http://p:3128"}, ("http://p:3128", "HTTPS_PROXY")),
        (FAR, {"HTTPS_PROXY": "http://p", "https_proxy": "http://q:1"}, ("http://q:1", "https_proxy")),
        (FAR, {"HTTPS_PROXY": "http://p", "https_proxy": ""}, None),
        (FAR, {"HTTP_PROXY": "http://p"}, None),
        ("http://example.com/", {"HTTP_PROXY": "p:8080"}, ("http://p:8080", "HTTP_PROXY")),
        ("http://example.com/", {"HTTP_PROXY": "p:8080", "REQUEST_METHOD": "GET"}, None),
        (FAR, {"ALL_PROXY": "socks5://127.0.0.1:9"}, ("socks5://127.0.0.1:9", "ALL_PROXY")),
        (FAR, {"all_proxy": "socks://127.0.0.1/"}, ("socks5://127.0.0.1:1080", "all_proxy")),
        (FAR, {"ALL_PROXY": "SOCKS5H://u:p@[::1]:9"}, ("socks5h://[::1]:9", "ALL_PROXY")),
        (FAR, {"HTTPS_PROXY": "https://p", "ALL_PROXY": "socks5://q"}, ("https://p:443", "HTTPS_PROXY")),
        (FAR, {"HTTPS_PROXY": "http://me:a#b/c@p:1"}, ("http://p:1", "HTTPS_PROXY")),
    ],
)
def test_the_proxy_of_an_address(url: str, environment: dict[str, str], expected: tuple[str, str] | None) -> None:
    proxy = proxy_for(url, environment)
    assert (proxy and (proxy.shown, proxy.variable)) == expected
    assert ":p@" not in repr(proxy) + str(proxy)


@pytest.mark.parametrize(
    "url",
    [
        *("http://127.0.0.1:11434/v1", "http://localhost:1234", "https://LOCALHOST./v1", "http://[::1]:8080"),
        *("http://127.3.2.1/", "http://models.localhost:80/", "http://[::ffff:127.0.0.1]:80/"),
    ],
)
def test_this_machine_is_reached_directly(url: str) -> None:
    environment = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"), "socks5://10.0.0.1:9")
    assert proxy_for(url, environment) is None


@pytest.mark.parametrize(
    ("no_proxy", "url", "is_direct"),
    [
        ("*", FAR, True),
        ("example.com", FAR, True),
        (".example.com", FAR, True),
        ("*.example.com", FAR, True),
        ("EXAMPLE.COM", FAR, True),
        ("ample.com", FAR, False),
        ("api.example.com.", FAR, True),
        ("other.com, example.com", FAR, True),
        ("other.com example.com", FAR, True),
        ("example.com:443", FAR, True),
        ("example.com:8443", FAR, False),
        ("https://example.com", FAR, True),
        ("10.0.0.0/8", "https://10.2.3.4/", True),
        ("10.0.0.0/8", "https://11.2.3.4/", False),
        ("10.2.3.4", "https://10.2.3.4:8000/", True),
        ("10.2.3.4:80", "https://10.2.3.4:8000/", False),
        ("fd00::/8", "https://[fd00::1]/", True),
        ("[fd00::1]:443", "https://[fd00::1]/", True),
        ("fd00::1", "https://[fd00::1]/", True),
        ("10.0.0.0/8", FAR, False),
        ("", FAR, False),
    ],
)
def test_what_no_proxy_lists_is_reached_directly(no_proxy: str, url: str, is_direct: bool) -> None:
    for name in ("NO_PROXY", "no_proxy"):
        found = proxy_for(url, {"ALL_PROXY": "socks5h://p:1", name: no_proxy})
        assert (found is None) is is_direct


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("socks4://me:hunter2@p:1080", "socks4://p:1080"),
        ("ftp://me:hunter2@p", "ftp://p"),
        ("http://me:hunter2@p:port", "http://p:port"),
        ("http://me:hunter2@", "http://"),
        ("socks5://p:0", "socks5://p:0"),
    ],
)
def test_what_cannot_be_used_is_named_with_its_variable_and_without_a_password(value: str, shown: str) -> None:
    with pytest.raises(UnusableProxy) as refused:
        proxy_for(FAR, {"ALL_PROXY": value})
    message = str(refused.value)
    assert f"ALL_PROXY names the proxy {shown}," in message
    assert "hunter2" not in message
