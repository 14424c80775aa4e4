//! Reads an agent's memory a million times from a near cache, as a service with many requests would.
//!
//! Needs a running daemon, at `MEMORYD_ADDRESS` or 127.0.0.1:7600: `cargo run --release --example near_cache`.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use memoryd::{Agent, Client, NearCache, Result};
use tokio::task::JoinSet;

const WORKERS: u32 = 8;
const READS: u32 = 1_000_000;

#[tokio::main]
async fn main() -> ExitCode {
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("near cache: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run() -> Result<()> {
    let agent = Client::builder().origin("near-cache").connect()?.agent("near-cache");
    agent.set("tone", "formal").await?;
    let served = serve(&agent).await;
    agent.remove("tone").await?;
    served
}

// [sample]

/// Reads the tone of an agent in each of a million requests, and changes it meanwhile.
async fn serve(agent: &Agent) -> Result<()> {
    let cache = agent.near_cache().max_staleness(Duration::from_secs(1)).await?;
    let began = Instant::now();
    let mut requests: JoinSet<Result<()>> = (0..WORKERS).map(|_| read_often(cache.clone())).collect();
    agent.set("tone", "friendly").await?;
    let tone: Option<String> = cache.get("tone").await?; // each write of this client is seen once it has returned
    println!("the tone is now {}", tone.unwrap_or_default());
    while let Some(done) = requests.join_next().await {
        done.expect("it does not panic")?;
    }
    let took = began.elapsed();
    println!("{READS} reads in {took:.0?}, {} ns each", (took / READS).as_nanos());
    Ok(())
}

async fn read_often(cache: NearCache) -> Result<()> {
    for _ in 0..READS / WORKERS {
        cache.get::<String>("tone").await?; // no call
    }
    Ok(())
}
// [end]
