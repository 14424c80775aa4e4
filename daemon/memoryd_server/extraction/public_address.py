"""The check that an address is public, so that a URL cannot make the daemon connect to its own network."""

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
