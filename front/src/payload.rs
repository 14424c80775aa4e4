//! A message in gRPC's framing: a flag, the length in four bytes, and the data.

use std::io::Read;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

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
    /// What all have in common that share a message; none if nobody does.
    common: Option<Arc<Common>>,
}

/// A message of many calls, as JSON if one of them needs that. They are of one method, so that all read the same.
struct Common {
    count: Arc<AtomicUsize>,
    json: OnceLock<Option<Bytes>>,
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
            common: None,
        }
    }

    /// Put a prefix before a message, which is not copied.
    pub fn shared(message: Bytes) -> Self {
        Self {
            head: Bytes::copy_from_slice(&prefix(false, message.len())),
            rest: message,
            common: None,
        }
    }

    /// Copy a message once for all that share it. ``count`` has its size added until the last of them drops it.
    pub fn counted(message: &[u8], count: &Arc<AtomicUsize>) -> Self {
        let mut framed = Vec::with_capacity(PREFIX_BYTES + message.len());
        framed.extend_from_slice(&prefix(false, message.len()));
        framed.extend_from_slice(message);
        let common = Common {
            count: Arc::clone(count),
            json: OnceLock::new(),
        };
        Self {
            head: Counted::bytes(framed, count),
            rest: Bytes::new(),
            common: Some(Arc::new(common)),
        }
    }

    /// Return the message without its prefix. To be called before any piece is taken, and not for a compressed one.
    pub fn message(&self) -> Bytes {
        if self.rest.is_empty() {
            self.head.slice(PREFIX_BYTES..)
        } else {
            self.rest.clone()
        }
    }

    /// Return the message as JSON, which is written once for all that share it; none if it cannot be.
    pub fn json(&self, write: impl FnOnce(&[u8]) -> Option<Vec<u8>>) -> Option<Bytes> {
        match &self.common {
            None => write(&self.message()).map(Bytes::from),
            Some(common) => {
                let written = || write(&self.message()).map(|text| Counted::bytes(text, &common.count));
                common.json.get_or_init(written).clone()
            }
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
            common: None,
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

impl Counted {
    fn bytes(data: Vec<u8>, count: &Arc<AtomicUsize>) -> Bytes {
        count.fetch_add(data.len(), Ordering::AcqRel);
        let count = Arc::clone(count);
        Bytes::from_owner(Self { data, count })
    }
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

pub fn prefix(is_compressed: bool, size: usize) -> [u8; PREFIX_BYTES] {
    let [a, b, c, d] = u32::try_from(size)
        .expect("Python limits the size of responses")
        .to_be_bytes();
    [u8::from(is_compressed), a, b, c, d]
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::{PREFIX_BYTES, Payload};

    #[test]
    fn all_that_share_a_message_share_its_json_which_counts_once() {
        let count = Arc::default();
        let payload = Payload::counted(b"message", &count);
        let calls = [payload.clone(), payload];
        let writes = AtomicUsize::new(0);
        let write = |message: &[u8]| {
            writes.fetch_add(1, Ordering::Relaxed);
            Some([message, b" as JSON"].concat())
        };
        let texts = calls.each_ref().map(|call| call.json(write).unwrap());
        assert_eq!(texts, ["message as JSON", "message as JSON"]);
        assert_eq!(writes.load(Ordering::Relaxed), 1);
        assert_eq!(
            count.load(Ordering::Relaxed),
            PREFIX_BYTES + "messagemessage as JSON".len()
        );
        drop((calls, texts));
        assert_eq!(count.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn a_message_is_the_same_whether_it_was_copied_or_not() {
        for payload in [Payload::copied(b"text"), Payload::shared(b"text".as_slice().into())] {
            assert_eq!(payload.message(), "text");
            assert_eq!(payload.json(|data| Some(data.to_vec())).unwrap(), "text");
        }
        assert_eq!(Payload::shared(bytes::Bytes::new()).message(), "");
    }
}
