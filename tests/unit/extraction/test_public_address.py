import ipaddress

import pytest

from memoryd_server.extraction.public_address import is_private_or_public, is_public


@pytest.mark.parametrize(
    "address",
    ["8.8.8.8", "93.184.216.34", "2606:4700::1111", "2a00:1450:4001::5", "::ffff:8.8.8.8", "64:ff9b::808:808"],
)
def test_a_global_address_is_public(address: str) -> None:
    assert is_public(ipaddress.ip_address(address))


@pytest.mark.parametrize(
    "address",
    [
        *("0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "127.0.0.1", "127.255.255.255", "169.254.169.254"),
        *("172.16.0.1", "172.31.255.255", "192.0.0.1", "192.0.0.8", "192.0.2.1", "192.88.99.1", "192.168.1.1"),
        *("198.18.0.1", "198.51.100.1", "203.0.113.1", "224.0.0.1", "240.0.0.1", "255.255.255.255"),
        *("::", "::1", "::127.0.0.1", "::8.8.8.8", "100::1", "2001::1", "2001:20::1", "2001:db8::1", "3fff::1"),
        *("2002:7f00:1::", "2002:808:808::", "4000::1", "5f00::1", "fc00::1", "fd12::1", "fe80::1"),
        *("fec0::1", "ff02::1"),
        *("::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::ffff:0:8.8.8.8"),
        *("64:ff9b::7f00:1", "64:ff9b::a00:1", "64:ff9b:1::808:808"),
    ],
)  # fmt: skip
def test_a_local_reserved_or_tunneling_address_is_not_public(address: str) -> None:
    assert not is_public(ipaddress.ip_address(address))


@pytest.mark.parametrize(
    "address", ["8.8.8.8", "10.0.0.1", "172.31.0.1", "192.168.1.1", "127.0.0.1", "::1", "fd12::1", "::ffff:10.0.0.1"]
)
def test_private_addresses_are_allowed_where_they_may_be(address: str) -> None:
    assert is_private_or_public(ipaddress.ip_address(address))


@pytest.mark.parametrize(
    "address",
    [
        "169.254.169.254",
        "::ffff:169.254.169.254",
        "fe80::1",
        "0.0.0.0",
        "224.0.0.1",
        "255.255.255.255",
        "::",
        "100.100.100.200",
        "fd00:ec2::254",
        "2002:a00:1::",
    ],
)
def test_addresses_with_credentials_and_of_many_are_never_allowed(address: str) -> None:
    assert not is_private_or_public(ipaddress.ip_address(address))
