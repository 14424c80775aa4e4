//! Mends what gRPC's C core sends as `:authority` over a unix socket: the escaped path, which no URI allows there, so that
//! `h2` refuses the call. Its characters are replaced in the header blocks as these arrive, without changing a length.
//!
//! The walker knows just enough of HTTP/2 (RFC 9113, section 4.1 and 6.2) and of HPACK (RFC 7541, section 6) to find
//! that value. The C core sends it as it is; a value in Huffman's code is left alone.

const FRAME_HEADER_BYTES: usize = 9;
const HEADERS: u8 = 1;
const CONTINUATION: u8 = 9;
const PADDED: u8 = 0x8;
const PRIORITY: u8 = 0x20;
/// The number of `:authority` in HPACK's table: RFC 7541, appendix A. The C core spells it out.
const AUTHORITY_INDEX: usize = 1;
const AUTHORITY: &[u8] = b":authority";

/// Follows one connection's bytes.
#[derive(Default)]
pub struct Authorities {
    header: [u8; FRAME_HEADER_BYTES],
    header_length: usize,
    /// What is left of the frame's payload.
    left: usize,
    /// What is left of it before its header block, and the padding after that.
    skipped: usize,
    padding: usize,
    has_pad_length: bool,
    is_block: bool,
    block: Block,
}

/// The representation of a header field that comes next, or that is being passed.
#[derive(Clone, Copy, Default)]
enum Block {
    #[default]
    Field,
    /// The index of a field's name continues.
    Index(Number),
    /// The size of the table, or the index of a whole field, continues: no string follows.
    Other,
    /// The length of a name, which a value follows, or of a value.
    Length { is_name: bool, is_authority: bool },
    LengthRest {
        is_name: bool,
        is_authority: bool,
        is_coded: bool,
        number: Number,
    },
    Text {
        is_name: bool,
        is_authority: bool,
        left: usize,
    },
}

/// An integer of HPACK whose bytes continue.
#[derive(Clone, Copy, Default)]
struct Number {
    value: usize,
    shift: u32,
}

impl Number {
    /// Add a byte. Returns true if it was the last.
    fn add(&mut self, byte: u8) -> bool {
        let part = usize::from(byte & 0x7f).checked_shl(self.shift).unwrap_or(0);
        self.value = self.value.saturating_add(part);
        self.shift = self.shift.saturating_add(7);
        byte & 0x80 == 0
    }
}

impl Authorities {
    /// Pass the next bytes of the connection, and mend them where they stand.
    pub fn mend(&mut self, mut bytes: &mut [u8]) {
        while !bytes.is_empty() {
            if self.left == 0 {
                let count = (FRAME_HEADER_BYTES - self.header_length).min(bytes.len());
                self.header[self.header_length..][..count].copy_from_slice(&bytes[..count]);
                self.header_length += count;
                bytes = &mut bytes[count..];
                if self.header_length == FRAME_HEADER_BYTES {
                    self.begin_frame();
                }
                continue;
            }
            let count = self.left.min(bytes.len());
            let (payload, rest) = bytes.split_at_mut(count);
            if self.is_block {
                for byte in payload {
                    self.pass(byte);
                }
            } else {
                self.left -= count;
            }
            bytes = rest;
        }
    }

    fn begin_frame(&mut self) {
        let [a, b, c, kind, flags, ..] = self.header;
        self.header_length = 0;
        self.left = u32::from_be_bytes([0, a, b, c]) as usize;
        self.is_block = kind == HEADERS || kind == CONTINUATION;
        self.padding = 0;
        self.has_pad_length = kind == HEADERS && flags & PADDED != 0;
        self.skipped = if kind == HEADERS && flags & PRIORITY != 0 { 5 } else { 0 };
        if kind == HEADERS {
            self.block = Block::Field;
        }
    }

    fn pass(&mut self, byte: &mut u8) {
        self.left -= 1;
        if self.has_pad_length {
            self.has_pad_length = false;
            self.padding = usize::from(*byte);
        } else if self.skipped > 0 {
            self.skipped -= 1;
        } else if self.left >= self.padding {
            self.block = self.block.after(byte);
        }
    }
}

impl Block {
    fn after(self, byte: &mut u8) -> Self {
        match self {
            Self::Field => Self::field(*byte),
            Self::Index(mut number) => {
                if number.add(*byte) {
                    // Indices of one byte are the only ones of this name.
                    Self::Length {
                        is_name: false,
                        is_authority: false,
                    }
                } else {
                    Self::Index(number)
                }
            }
            Self::Other => {
                if *byte & 0x80 == 0 {
                    Self::Field
                } else {
                    Self::Other
                }
            }
            Self::Length { is_name, is_authority } => {
                let (is_coded, value) = (*byte & 0x80 != 0, usize::from(*byte & 0x7f));
                if value == 0x7f {
                    let number = Number { value, shift: 0 };
                    Self::LengthRest {
                        is_name,
                        is_authority,
                        is_coded,
                        number,
                    }
                } else {
                    Self::string(is_name, is_authority, is_coded, value)
                }
            }
            Self::LengthRest {
                is_name,
                is_authority,
                is_coded,
                mut number,
            } => {
                if number.add(*byte) {
                    Self::string(is_name, is_authority, is_coded, number.value)
                } else {
                    Self::LengthRest {
                        is_name,
                        is_authority,
                        is_coded,
                        number,
                    }
                }
            }
            Self::Text {
                is_name,
                is_authority,
                left,
            } => {
                let mut is_authority = is_authority;
                if is_name {
                    is_authority = is_authority && *byte == AUTHORITY[AUTHORITY.len() - left];
                } else if is_authority && matches!(*byte, b'%' | b'/') {
                    *byte = b'-';
                }
                Self::text(is_name, is_authority, left - 1)
            }
        }
    }

    /// The first byte of a field: RFC 7541, sections 6.1 to 6.3.
    fn field(byte: u8) -> Self {
        let (is_literal, mask) = match byte {
            0x80.. => (false, 0x7f),
            0x40..=0x7f => (true, 0x3f),
            0x20..=0x3f => (false, 0x1f),
            _ => (true, 0x0f),
        };
        let index = usize::from(byte & mask);
        match (is_literal, index == usize::from(mask)) {
            (false, false) => Self::Field,
            (false, true) => Self::Other,
            (true, true) => Self::Index(Number { value: index, shift: 0 }),
            (true, false) => Self::Length {
                is_name: index == 0,
                is_authority: index == AUTHORITY_INDEX,
            },
        }
    }

    /// A string of a length begins. The name of the field is compared, unless it is known by its index.
    fn string(is_name: bool, is_authority: bool, is_coded: bool, length: usize) -> Self {
        let may_be_name = is_name && length == AUTHORITY.len();
        Self::text(
            is_name,
            !is_coded && (may_be_name || (!is_name && is_authority)),
            length,
        )
    }

    fn text(is_name: bool, is_authority: bool, left: usize) -> Self {
        match (left, is_name) {
            (0, true) => Self::Length {
                is_name: false,
                is_authority,
            },
            (0, false) => Self::Field,
            _ => Self::Text {
                is_name,
                is_authority,
                left,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Authorities;

    fn frame(kind: u8, flags: u8, payload: &[u8]) -> Vec<u8> {
        let length = u8::try_from(payload.len()).unwrap();
        [&[0, 0, length, kind, flags, 0, 0, 0, 1], payload].concat()
    }

    fn mended(bytes: &[u8], step: usize) -> Vec<u8> {
        let mut authorities = Authorities::default();
        let mut bytes = bytes.to_vec();
        bytes.chunks_mut(step).for_each(|part| authorities.mend(part));
        bytes
    }

    fn block(authority: &[u8]) -> Vec<u8> {
        let length = u8::try_from(authority.len()).unwrap();
        // An indexed field, a literal with a name and a value, the authority, a change of the table's size.
        [
            &[0x83, 0x00, 2, b'%', b'a', 1, b'/', 0x41, length],
            authority,
            &[0x3f, 0xe1, 0x1f],
        ]
        .concat()
    }

    #[test]
    fn only_the_authority_changes_however_the_bytes_are_cut() {
        let data = frame(0, 0, b"\x41\x03%/%");
        let given = [data.clone(), frame(1, 4, &block(b"%2Ftmp%2Fx")), data.clone()].concat();
        let wanted = [data.clone(), frame(1, 4, &block(b"-2Ftmp-2Fx")), data].concat();
        for step in 1..given.len() {
            assert_eq!(mended(&given, step), wanted);
        }
    }

    #[test]
    fn the_name_may_be_spelled_out() {
        let field = |name: &[u8], value: &[u8]| [&[0x40, 10], name, &[4], value].concat();
        let given = [field(b":authority", b"a%2F"), field(b":authoritx", b"a%2F")].concat();
        let wanted = [field(b":authority", b"a-2F"), field(b":authoritx", b"a%2F")].concat();
        assert_eq!(mended(&frame(1, 4, &given), 3), frame(1, 4, &wanted));
    }

    #[test]
    fn padding_and_priority_are_passed_over() {
        let payload = |authority: &[u8]| [&[3, 0, 0, 0, 0, 9], block(authority).as_slice(), b"/%/"].concat();
        let given = frame(1, 0x2c, &payload(b"a%2F"));
        assert_eq!(mended(&given, 7), frame(1, 0x2c, &payload(b"a-2F")));
    }

    #[test]
    fn a_block_may_continue_in_a_further_frame() {
        let block = block(b"%2Fx");
        let (first, second) = block.split_at(8);
        let given = [frame(1, 0, first), frame(9, 4, second)].concat();
        let fixed = mended(&given, given.len());
        assert!(!fixed.windows(3).any(|part| part == b"%2F"));
        assert!(fixed.windows(3).any(|part| part == b"-2F"));
    }

    #[test]
    fn any_bytes_can_pass() {
        let bytes: Vec<u8> = (0..40_000_u32)
            .map(|number| number.wrapping_mul(2_654_435_761).to_le_bytes()[2])
            .collect();
        assert_eq!(mended(&bytes, 100).len(), bytes.len());
    }
}
