//! Measures the time of calls. The callers are tasks of one thread.

use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Instant;

use memoryd::{Agent, NearCache, Result};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::command::{Measure, Measured};
use super::failure::Failure;

const WARM_UP_CALLS: i64 = 100;
/// 200 bytes of JSON, with the two quotes.
const LETTERS: usize = 198;
const KEY: &str = "measured";
const CONVERSATION: &str = "measured";

pub async fn measure(agent: &Agent, ordered: &Measure) -> Result<Value, Failure> {
    if matches!(ordered.call, Measured::NearGet) {
        return near(agent, ordered.calls).await;
    }
    together(agent, ordered.call, WARM_UP_CALLS, ordered.callers).await?;
    let start = Instant::now();
    let each = together(agent, ordered.call, ordered.calls, ordered.callers).await?;
    Ok(json!({"each_s": each, "total_s": start.elapsed().as_secs_f64()}))
}

/// Measures all reads of a near cache at once: one takes about as long as reading the clock.
async fn near(agent: &Agent, calls: i64) -> Result<Value, Failure> {
    let cache = agent.near_cache().await?;
    near_reads(&cache, WARM_UP_CALLS).await?;
    let start = Instant::now();
    near_reads(&cache, calls).await?;
    Ok(json!({"each_s": [], "total_s": start.elapsed().as_secs_f64()}))
}

async fn near_reads(cache: &NearCache, calls: i64) -> Result<()> {
    for _ in 0..calls {
        black_box(cache.get::<String>(KEY).await?);
    }
    Ok(())
}

/// Has callers make `calls` calls, and returns the seconds of each.
async fn together(agent: &Agent, call: Measured, calls: i64, callers: usize) -> Result<Vec<f64>, Failure> {
    let left = Arc::new(AtomicI64::new(calls));
    let mut tasks = JoinSet::new();
    for _ in 0..callers {
        tasks.spawn(one_after_the_other(agent.clone(), call, Arc::clone(&left)));
    }
    let mut seconds = Vec::new();
    for each in tasks.join_all().await {
        seconds.append(&mut each?);
    }
    Ok(seconds)
}

async fn one_after_the_other(agent: Agent, call: Measured, left: Arc<AtomicI64>) -> Result<Vec<f64>> {
    let mut seconds = Vec::new();
    let value = "v".repeat(LETTERS);
    while left.fetch_sub(1, Ordering::Relaxed) > 0 {
        let start = Instant::now();
        match call {
            Measured::Set => agent.set(KEY, &value).await.map(drop)?,
            Measured::Get => agent.get::<String>(KEY).await.map(drop)?,
            Measured::Recall => agent.memories().recall("Who signed the lease?").await.map(drop)?,
            Measured::Compose => agent.compose().conversation_id(CONVERSATION).await.map(drop)?,
            Measured::NearGet => unreachable!("reads of a near cache are measured together"),
        }
        seconds.push(start.elapsed().as_secs_f64());
    }
    Ok(seconds)
}
