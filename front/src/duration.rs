//! How long the calls of each method took, by their status.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use tokio::time::Instant;

/// gRPC's codes are 0 to 16.
const CODES: usize = 17;

/// The durations of the calls of one method.
pub struct Durations {
    bounds: Arc<[Duration]>,
    by_code: [OnceLock<Histogram>; CODES],
}

struct Histogram {
    counts: Box<[AtomicU64]>,
    sum_ns: AtomicU64,
}

/// The durations of the calls of one method that ended with one code: how many there are in each bucket, and their sum.
pub struct Counted {
    pub code: usize,
    pub counts: Vec<u64>,
    pub sum: Duration,
}

impl Durations {
    /// ``bounds`` are the upper bounds of the buckets, inclusive and ascending; one more bucket counts longer times.
    pub fn new(bounds: Arc<[Duration]>) -> Self {
        Self {
            bounds,
            by_code: Default::default(),
        }
    }

    /// Count a call that has ended.
    pub fn add(&self, code: u32, began: Instant) {
        let Some(histogram) = self.by_code.get(code as usize) else {
            return;
        };
        let histogram = histogram.get_or_init(|| Histogram {
            counts: (0..=self.bounds.len()).map(|_| AtomicU64::new(0)).collect(),
            sum_ns: AtomicU64::new(0),
        });
        let duration = began.elapsed();
        let bucket = self.bounds.partition_point(|bound| *bound < duration);
        histogram.counts[bucket].fetch_add(1, Ordering::Relaxed);
        let ns = u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
        histogram.sum_ns.fetch_add(ns, Ordering::Relaxed);
    }

    /// Return the durations by code, of the codes that have occurred.
    pub fn counted(&self) -> impl Iterator<Item = Counted> {
        self.by_code.iter().enumerate().filter_map(|(code, histogram)| {
            let histogram = histogram.get()?;
            Some(Counted {
                code,
                counts: histogram
                    .counts
                    .iter()
                    .map(|count| count.load(Ordering::Relaxed))
                    .collect(),
                sum: Duration::from_nanos(histogram.sum_ns.load(Ordering::Relaxed)),
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::Instant;

    use super::Durations;

    #[test]
    fn a_call_counts_in_the_bucket_of_its_duration() {
        let durations = Durations::new([Duration::from_secs(10), Duration::from_secs(1_000)].into());
        let now = Instant::now();
        durations.add(0, now);
        durations.add(0, now - Duration::from_secs(100));
        durations.add(5, now - Duration::from_secs(5_000));
        durations.add(99, now);
        let counted: Vec<_> = durations.counted().map(|each| (each.code, each.counts)).collect();
        assert_eq!(counted, [(0, vec![1, 1, 0]), (5, vec![0, 0, 1])]);
        let sums: Vec<_> = durations.counted().map(|each| each.sum.as_secs()).collect();
        assert_eq!(sums, [100, 5_000]);
    }
}
