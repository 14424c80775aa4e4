//! A message in gRPC's framing: a flag, the length in four bytes, and the data.

use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::{BufMut, Bytes, BytesMut};
use flate2::Compression;
use flate2::read::{GzDecoder, GzEncoder};

use crate::limit::PIECE_BYTES;

pub const PREFIX_BYTES: usize = 5;

/// A message to send: a prefix and the data, which are one piece if the data was copied.
#[derive(Clone)]
pub struct Payload {
    head: Bytes,
    rest: Bytes,
}

impl Payload {
    /// Copy a message behind its prefix.
    pub fn copied(message: &[u8]) -> Self {
        let mut framed = BytesMut::with_capacity(PREFIX_BYTES + message.len());
        framed.extend_from_slice(&prefix(false, message.len()));
        framed.extend_from_slice(message);
        Self {
            head: framed.freeze(),
            rest: Bytes::new(),
        }
    }

    /// Put a prefix before a message, which is not copied.
    pub fn shared(message: Bytes) -> Self {
        Self {
            head: Bytes::copy_from_slice(&prefix(false, message.len())),
            rest: message,
        }
    }

    /// Copy a message once for all that share it. ``count`` has its size added until the last of them drops it.
    pub fn counted(message: &[u8], count: &Arc<AtomicUsize>) -> Self {
        let mut framed = Vec::with_capacity(PREFIX_BYTES + message.len());
        framed.extend_from_slice(&prefix(false, message.len()));
        framed.extend_from_slice(message);
        count.fetch_add(framed.len(), Ordering::AcqRel);
        let owner = Counted {
            data: framed,
            count: Arc::clone(count),
        };
        Self {
            head: Bytes::from_owner(owner),
            rest: Bytes::new(),
        }
    }

    /// Compress the message.
    pub fn compressed(&self) -> Self {
        let plain = self
            .head
            .slice(PREFIX_BYTES..)
            .into_iter()
            .chain(self.rest.iter().copied())
            .collect::<Vec<u8>>();
        let mut data = Vec::new();
        // It reads from memory, which cannot fail.
        let _ = GzEncoder::new(plain.as_slice(), Compression::fast()).read_to_end(&mut data);
        Self {
            head: Bytes::copy_from_slice(&prefix(true, data.len())),
            rest: Bytes::from(data),
        }
    }

    /// The number of bytes, with the prefix.
    pub fn size(&self) -> usize {
        self.head.len() + self.rest.len()
    }

    /// Take the next piece, none after the last.
    pub fn next_piece(&mut self) -> Option<Bytes> {
        let part = if self.head.is_empty() {
            &mut self.rest
        } else {
            &mut self.head
        };
        if part.is_empty() {
            return None;
        }
        Some(part.split_to(part.len().min(PIECE_BYTES)))
    }
}

struct Counted {
    data: Vec<u8>,
    count: Arc<AtomicUsize>,
}

impl AsRef<[u8]> for Counted {
    fn as_ref(&self) -> &[u8] {
        &self.data
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.count.fetch_sub(self.data.len(), Ordering::AcqRel);
    }
}

/// Inflate a message. Returns none if it is larger than ``maximum``, or damaged.
pub fn inflated(data: &[u8], maximum: usize) -> Result<Bytes, Inflation> {
    let mut plain = BytesMut::new().writer();
    let mut source = GzDecoder::new(data).take(maximum as u64 + 1);
    match std::io::copy(&mut source, &mut plain) {
        Ok(size) if size > maximum as u64 => Err(Inflation::TooLarge),
        Ok(_) => Ok(plain.into_inner().freeze()),
        Err(_) => Err(Inflation::Damaged),
    }
}

/// Why a message cannot be inflated.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Inflation {
    TooLarge,
    Damaged,
}

fn prefix(is_compressed: bool, size: usize) -> [u8; PREFIX_BYTES] {
    let [a, b, c, d] = u32::try_from(size)
        .expect("Python limits the size of responses")
        .to_be_bytes();
    [u8::from(is_compressed), a, b, c, d]
}
