//! Refuses the numbers that JSON cannot represent, which `serde_json` would silently write as null.

use std::fmt::Display;

use serde::ser::{self, Error as _, Serialize, Serializer};
use serde_json::{Error, Result};

/// Refuses a value that contains NaN or an infinity.
pub(crate) fn check_finite<T: Serialize + ?Sized>(value: &T) -> Result<()> {
    value.serialize(Finite)
}

/// A serializer that writes nothing, and only checks each number.
#[derive(Clone, Copy)]
struct Finite;

fn check(number: f64) -> Result<()> {
    if number.is_finite() { Ok(()) } else { Err(Error::custom(format_args!("JSON cannot represent {number}"))) }
}

/// Methods of a serializer for types that contain no float.
macro_rules! nothing_to_find {
    ($($method:ident($($kind:ty),*);)*) => {
        $(fn $method(self, $(_: $kind),*) -> Result<()> {
            Ok(())
        })*
    };
}

impl Serializer for Finite {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Self;
    type SerializeTuple = Self;
    type SerializeTupleStruct = Self;
    type SerializeTupleVariant = Self;
    type SerializeMap = Self;
    type SerializeStruct = Self;
    type SerializeStructVariant = Self;

    nothing_to_find! {
        serialize_bool(bool);
        serialize_i8(i8);
        serialize_i16(i16);
        serialize_i32(i32);
        serialize_i64(i64);
        serialize_i128(i128);
        serialize_u8(u8);
        serialize_u16(u16);
        serialize_u32(u32);
        serialize_u64(u64);
        serialize_u128(u128);
        serialize_char(char);
        serialize_str(&str);
        serialize_bytes(&[u8]);
        serialize_none();
        serialize_unit();
        serialize_unit_struct(&'static str);
        serialize_unit_variant(&'static str, u32, &'static str);
    }

    fn serialize_f32(self, number: f32) -> Result<()> {
        check(number.into())
    }

    fn serialize_f64(self, number: f64) -> Result<()> {
        check(number)
    }

    fn collect_str<T: Display + ?Sized>(self, _: &T) -> Result<()> {
        Ok(())
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<()> {
        value.serialize(self)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Result<()> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        value: &T,
    ) -> Result<()> {
        value.serialize(self)
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Self> {
        Ok(self)
    }

    fn serialize_tuple(self, _: usize) -> Result<Self> {
        Ok(self)
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Self> {
        Ok(self)
    }

    fn serialize_tuple_variant(self, _: &'static str, _: u32, _: &'static str, _: usize) -> Result<Self> {
        Ok(self)
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self> {
        Ok(self)
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self> {
        Ok(self)
    }

    fn serialize_struct_variant(self, _: &'static str, _: u32, _: &'static str, _: usize) -> Result<Self> {
        Ok(self)
    }
}

/// Implementations of compound serializers that check each element.
macro_rules! check_each {
    ($($parts:ident::$method:ident($($name:ty)?);)*) => {
        $(impl ser::$parts for Finite {
            type Ok = ();
            type Error = Error;

            fn $method<T: Serialize + ?Sized>(&mut self, $(_: $name,)? value: &T) -> Result<()> {
                value.serialize(*self)
            }

            fn end(self) -> Result<()> {
                Ok(())
            }
        })*
    };
}

check_each! {
    SerializeSeq::serialize_element();
    SerializeTuple::serialize_element();
    SerializeTupleStruct::serialize_field();
    SerializeTupleVariant::serialize_field();
    SerializeStruct::serialize_field(&'static str);
    SerializeStructVariant::serialize_field(&'static str);
}

impl ser::SerializeMap for Finite {
    type Ok = ();
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<()> {
        key.serialize(*self)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        value.serialize(*self)
    }

    fn end(self) -> Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::Serialize;

    use super::check_finite;

    #[derive(Serialize)]
    enum Shape {
        Unit,
        New(f64),
        Tuple(u8, f32),
        Struct { field: Option<f64> },
    }

    #[derive(Serialize)]
    struct Pair(f64, f64);

    #[test]
    fn finite_numbers_may_be_anywhere() {
        check_finite(&(1, -0.0, "NaN", [f64::MAX], BTreeMap::from([("k", 1.5)]))).unwrap();
        check_finite(&[Shape::Unit, Shape::New(1.0), Shape::Tuple(1, 1.0), Shape::Struct { field: None }]).unwrap();
    }

    #[test]
    fn nan_and_infinities_are_found_anywhere() {
        let nan = f64::NAN;
        assert!(check_finite(&f32::INFINITY).is_err());
        assert!(check_finite(&vec![Some(nan)]).is_err());
        assert!(check_finite(&(1, nan)).is_err());
        assert!(check_finite(&BTreeMap::from([("k", nan)])).is_err());
        assert!(check_finite(&Pair(0.0, nan)).is_err());
        assert!(check_finite(&Shape::New(nan)).is_err());
        assert!(check_finite(&Shape::Tuple(1, f32::NAN)).is_err());
        assert!(check_finite(&Shape::Struct { field: Some(nan) }).is_err());
    }
}
