//! How long calls take.

use std::time::Instant;

use memoryd::Memory;
use serde_json::{Value, json};

use super::answer::Failure;

const WARM_UP_CALLS: u32 = 100;
/// A string of 198 letters is 200 bytes of JSON.
const LETTERS: usize = 198;
const KEY: &str = "measured";

pub async fn measure(memory: &Memory, calls: u32) -> Result<Value, Failure> {
    let value = "v".repeat(LETTERS);
    sets(memory, &value, WARM_UP_CALLS).await?;
    let start = Instant::now();
    sets(memory, &value, calls).await?;
    let set_s = start.elapsed().as_secs_f64();
    let start = Instant::now();
    for _ in 0..calls {
        memory.get::<String>(KEY).await?;
    }
    Ok(json!({"set_s": set_s, "get_s": start.elapsed().as_secs_f64()}))
}

async fn sets(memory: &Memory, value: &str, calls: u32) -> Result<(), Failure> {
    for _ in 0..calls {
        memory.set(KEY, value).await?;
    }
    Ok(())
}
