//! The messages of a request, cut out of the pieces in which they arrive.

use bytes::{Bytes, BytesMut};

use crate::payload::PREFIX_BYTES;

/// What has arrived of a request, and was not taken yet.
#[derive(Default)]
pub struct Framing {
    buffer: BytesMut,
}

impl Framing {
    pub fn is_empty(&self) -> bool {
        self.buffer.is_empty()
    }

    pub fn len(&self) -> usize {
        self.buffer.len()
    }

    pub fn append(&mut self, data: &[u8]) {
        self.buffer.extend_from_slice(data);
    }

    /// Return the flag and the size of the message that comes next, once its prefix has arrived.
    pub fn prefix(&self) -> Option<(u8, usize)> {
        let &[flag, a, b, c, d] = self.buffer.first_chunk::<PREFIX_BYTES>()?;
        Some((flag, u32::from_be_bytes([a, b, c, d]) as usize))
    }

    /// Take the next message, of the size that its prefix says, if it has arrived.
    pub fn take(&mut self, size: usize) -> Option<Bytes> {
        if self.buffer.len() < PREFIX_BYTES + size {
            return None;
        }
        self.skip_prefix();
        self.take_part(size)
    }

    /// Drop the prefix of the message that comes next, which has arrived: its data is taken in parts.
    pub fn skip_prefix(&mut self) {
        let _ = self.buffer.split_to(PREFIX_BYTES);
    }

    /// Take data of this size, if it has arrived.
    pub fn take_part(&mut self, size: usize) -> Option<Bytes> {
        (self.buffer.len() >= size).then(|| self.buffer.split_to(size).freeze())
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::{any, proptest};
    use proptest::prop_assert_eq;

    use super::Framing;

    type Message = (u8, Vec<u8>);

    fn encoded((flag, data): &Message) -> Vec<u8> {
        let size = u32::try_from(data.len()).unwrap().to_be_bytes();
        [&[*flag], size.as_slice(), data].concat()
    }

    proptest! {
        #[test]
        fn any_messages_in_any_pieces_come_out_as_they_were(
            messages in vec((any::<u8>(), vec(any::<u8>(), 0..300)), 0..8),
            sizes in vec(1..70_usize, 1..9),
        ) {
            let body: Vec<u8> = messages.iter().flat_map(encoded).collect();
            let mut rest = body.as_slice();
            let mut framing = Framing::default();
            let mut taken = Vec::new();
            let mut next = sizes.iter().cycle();
            while !rest.is_empty() {
                let (piece, others) = rest.split_at((*next.next().unwrap()).min(rest.len()));
                rest = others;
                framing.append(piece);
                while let Some((flag, size)) = framing.prefix()
                    && let Some(data) = framing.take(size)
                {
                    taken.push((flag, data.to_vec()));
                }
            }
            prop_assert_eq!(taken, messages);
            assert!(framing.is_empty());
        }
    }
}
