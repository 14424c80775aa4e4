//! Measures the time of calls.

use std::time::Instant;

use memoryd::{Agent, Result};
use serde_json::{Value, json};

use super::failure::Failure;

const WARM_UP_CALLS: usize = 100;
/// 200 bytes of JSON, with the two quotes.
const LETTERS: usize = 198;
const KEY: &str = "measured";

pub async fn measure(agent: &Agent, calls: usize) -> Result<Value, Failure> {
    let value = "v".repeat(LETTERS);
    let sets = durations(calls, async || agent.set(KEY, &value).await.map(drop)).await?;
    let gets = durations(calls, async || agent.get::<String>(KEY).await.map(drop)).await?;
    Ok(json!({"set_s": sets, "get_s": gets}))
}

/// Returns the seconds that each of `calls` calls took, after calls to warm up.
async fn durations(calls: usize, call: impl AsyncFn() -> Result<()>) -> Result<Vec<f64>> {
    for _ in 0..WARM_UP_CALLS {
        call().await?;
    }
    let mut seconds = Vec::with_capacity(calls);
    for _ in 0..calls {
        let start = Instant::now();
        call().await?;
        seconds.push(start.elapsed().as_secs_f64());
    }
    Ok(seconds)
}
