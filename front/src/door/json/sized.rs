//! Messages within messages, whose size is known only once they are written.

use prost::encoding::{WireType, encode_key, encode_varint};

/// Begin a message that is the value of a field. Returns the place of its size.
pub fn open(number: u32, data: &mut Vec<u8>) -> usize {
    encode_key(number, WireType::LengthDelimited, data);
    data.push(0);
    data.len() - 1
}

/// End a message, and write its size.
pub fn close(place: usize, data: &mut Vec<u8>) {
    let size = data.len() - place - 1;
    let mut written = [0; 10];
    let mut rest = &mut written[..];
    encode_varint(size as u64, &mut rest);
    let length = 10 - rest.len();
    data.splice(place..=place, written[..length].iter().copied());
}

/// Write a field of bytes, or of text.
pub fn bytes(number: u32, content: &[u8], data: &mut Vec<u8>) {
    encode_key(number, WireType::LengthDelimited, data);
    encode_varint(content.len() as u64, data);
    data.extend_from_slice(content);
}
