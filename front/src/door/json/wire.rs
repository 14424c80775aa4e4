//! The fields of a message as they are on the wire.

use bytes::Buf;
use prost::encoding::{WireType, decode_key, decode_varint};

/// Bytes are no message of the type that they should be, or none that JSON can say.
#[derive(Debug, PartialEq, Eq)]
pub struct Unwritable(pub &'static str);

/// What is on the wire of a field.
#[derive(Clone, Copy)]
pub enum Wire<'a> {
    Varint(u64),
    Fixed64(u64),
    Fixed32(u32),
    Bytes(&'a [u8]),
}

/// Take the number and the content of the next field; none at the end.
pub fn next_field<'a>(rest: &mut &'a [u8]) -> Result<Option<(u32, Wire<'a>)>, Unwritable> {
    if rest.is_empty() {
        return Ok(None);
    }
    let (number, form) = decode_key(rest).map_err(|_| Unwritable("a field has no number"))?;
    Ok(Some((number, next_content(form, rest)?)))
}

/// Take the content of a field, or of an element of a packed one.
pub fn next_content<'a>(form: WireType, rest: &mut &'a [u8]) -> Result<Wire<'a>, Unwritable> {
    let cut_off = Unwritable("a field is cut off");
    Ok(match form {
        WireType::Varint => Wire::Varint(varint(rest)?),
        WireType::SixtyFourBit => Wire::Fixed64(rest.try_get_u64_le().map_err(|_| cut_off)?),
        WireType::ThirtyTwoBit => Wire::Fixed32(rest.try_get_u32_le().map_err(|_| cut_off)?),
        WireType::LengthDelimited => {
            let size = usize::try_from(varint(rest)?).unwrap_or(usize::MAX);
            let (data, after) = rest.split_at_checked(size).ok_or(cut_off)?;
            *rest = after;
            Wire::Bytes(data)
        }
        WireType::StartGroup | WireType::EndGroup => return Err(Unwritable("a field is a group")),
    })
}

fn varint(rest: &mut &[u8]) -> Result<u64, Unwritable> {
    decode_varint(rest).map_err(|_| Unwritable("a number is cut off"))
}
