"""Values of Python's own types: how they are written, and read by ``type=``."""

import enum
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, NamedTuple, TypedDict
from uuid import UUID

import attrs
import msgspec
import pydantic
import pytest

import memoryd
from memoryd.errors import UnsupportedValue, WrongType
from memoryd.model import typed_value
from memoryd.model.value import checked, encode


class Colour(enum.Enum):
    RED = "red"


@dataclass
class Address:
    city: str
    since: datetime | None = None


@dataclass
class Customer:
    name: str
    addresses: list[Address] = field(default_factory=list)
    tags: set[str] = field(default_factory=set)


class Point(NamedTuple):
    x: int
    y: int


class Visit(TypedDict, total=False):
    place: str
    at: date


@attrs.define
class Order:
    number: int
    price: Decimal


class Pet(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(strict=True)
    name: str
    born: datetime


class Tool(msgspec.Struct):
    name: str
    id: UUID


@dataclass
class Owner:
    pet: Pet
    colour: Colour


class Money:
    def __init__(self, cents: int) -> None:
        self.cents = cents

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Money) and other.cents == self.cents

    __hash__ = None  # type: ignore[assignment]


@dataclass
class Price:
    amount: Money


@pytest.fixture
def money() -> Iterator[None]:
    memoryd.register_type(Money, encode=lambda given: given.cents, decode=Money)
    yield
    del typed_value._codecs[Money]


NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)
IDENTITY = UUID("12345678-1234-5678-1234-567812345678")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (Customer("Ann", [Address("Oslo", NOON)], {"vip"}), Customer),
        ([Address("Oslo")], list[Address]),
        ({"home": Address("Oslo")}, dict[str, Address]),
        (Point(1, 2), Point),
        ({"place": "Oslo", "at": date(2026, 1, 31)}, Visit),
        (Order(7, Decimal("0.10")), Order),
        (Pet(name="Rex", born=NOON), Pet),
        ([Pet(name="Rex", born=NOON)], list[Pet]),
        (Owner(Pet(name="Rex", born=NOON), Colour.RED), Owner),
        (Tool("saw", IDENTITY), Tool),
        (NOON, datetime),
        (time(12, 30), time),
        (timedelta(hours=1), timedelta),
        (IDENTITY, UUID),
        (Colour.RED, Colour),
        ({1, 2}, set[int]),
        (b"bytes", bytes),
        (None, Address | None),
    ],
)
def test_a_typed_value_survives_a_round_trip(value: Any, expected: Any) -> None:
    assert checked(memoryd.model.value.decode(encode(value)), expected, "k") == value


def test_a_registered_type_survives_a_round_trip_also_within_another(money: None) -> None:
    assert encode([Money(5)]) == "[5]"
    assert checked(5, Money, "k") == Money(5)
    assert checked({"amount": 5}, Price, "k") == Price(Money(5))
    assert encode(Price(Money(5))) == '{"amount":5}'


@pytest.mark.parametrize("cls", [Address, Pet, Order, datetime, int])
def test_a_type_that_is_converted_already_is_not_registered(cls: type) -> None:
    with pytest.raises(TypeError, match="is converted already"):
        memoryd.register_type(cls, encode=str, decode=cls)


@pytest.mark.parametrize(
    ("value", "expected", "place"),
    [
        ({"name": "Ann", "addresses": [{"city": 1}]}, Customer, r"\$\.addresses\[0\]\.city"),
        ({"name": "Ann"}, Order, "number"),
        ({"pet": {"name": "Rex", "born": "soon"}, "colour": "red"}, Owner, "born"),
        ("noon", datetime, "date"),
        (True, list[int], "bool"),
        (1, Money, "Money"),
    ],
)
def test_a_value_that_does_not_fit_says_where(value: Any, expected: Any, place: str) -> None:
    with pytest.raises(WrongType, match=place) as caught:
        checked(value, expected, "k")
    assert caught.value.message.startswith("the value of 'k' is ")


@pytest.mark.parametrize(
    ("value", "place"),
    [
        ({"a": [1, object()]}, r"at \$\.a\[1\] there is a value of type object"),
        (Customer("Ann", [Address("\ud800")]), r"at \$\.addresses\[0\]\.city there is a lone surrogate"),
        ({"a": {IDENTITY: 1}}, r"at \$\.a there is a key of type UUID"),
        ({"\ud800": 1}, "surrogate in a key"),
        ([float("nan")], r"at \$\[0\] there is nan"),
    ],
)
def test_a_value_that_cannot_be_written_says_where(value: Any, place: str) -> None:
    with pytest.raises(UnsupportedValue, match=place):
        encode(value)
