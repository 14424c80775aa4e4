"""The checks that an address is public or private, so that a URL cannot make the daemon connect to its own network."""

import ipaddress

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
_GLOBAL_UNICAST = ipaddress.IPv6Network("2000::/3")
_SPECIAL = tuple(
    map(
        ipaddress.ip_network,
        # Protocol assignments, tunnels (which may lead to any other address), and documentation.
        ("192.0.0.0/24", "192.88.99.0/24", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"),
    )
)
_PRIVATE = tuple(
    map(ipaddress.ip_network, ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7"))
)
_METADATA = frozenset(map(ipaddress.ip_address, ("100.100.100.200", "fd00:ec2::254")))
"""Addresses of private networks at which clouds offer the machine's credentials."""


def is_public(address: Address) -> bool:
    """Return True if the address is globally reachable according to the registries of IANA.

    An IPv6 address that embeds an IPv4 one (mapped, NAT64) is judged by that.
    """
    if isinstance(address, ipaddress.IPv6Address):
        inner = address.ipv4_mapped
        if inner is None and address in _NAT64:
            inner = ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF)
        if inner is not None:
            return is_public(inner)
        if address not in _GLOBAL_UNICAST:
            return False
    is_special = address.is_multicast or address.is_reserved or any(address in network for network in _SPECIAL)
    return address.is_global and not is_special


def is_private_or_public(address: Address) -> bool:
    """Return True if the address is public, of a private network, or of this machine.

    Link-local and similar addresses at which clouds offer the machine's credentials are never allowed.
    """
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
        return is_private_or_public(address.ipv4_mapped)
    is_private = address.is_loopback or any(address in network for network in _PRIVATE)
    return is_public(address) or (is_private and address not in _METADATA)
