//! The main things an agent does with its memory, one after the other.
//!
//! Run it beside a daemon: `cargo run --example first_steps`. `MEMORYD_ADDRESS` says where the daemon is, if not at
//! 127.0.0.1:7600.

use std::process::ExitCode;

use memoryd::v1::{self, EventType, MemoryType};
use memoryd::{Client, Error, ErrorKind, Merge, NewEntry, Result, WorkingMemory};
use serde_json::{Value, json};

const AGENT: &str = "first-steps";

#[tokio::main]
async fn main() -> ExitCode {
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("it did not work: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run() -> Result<()> {
    let client = Client::connect()?;
    let info = client.call(v1::GetServerInfoRequest {}).await?;
    println!("memoryd {} at {}", info.version, client.target());
    begin_anew(&client).await?;
    remember().await?;
    finish(&client).await
}

async fn begin_anew(client: &Client) -> Result<()> {
    match client.agent(AGENT).end().await {
        Err(error) if error.kind() == ErrorKind::AgentNotFound => println!("a new agent"),
        ended => drop(ended?),
    }
    Ok(())
}

async fn remember() -> Result<()> {
    // [first steps]
    // The daemon is at MEMORYD_ADDRESS, else at 127.0.0.1:7600.
    let agent = Client::builder().origin("first-steps").connect()?.agent("first-steps");
    let mut watch = agent.watch().await?; // from here on no commit is missed

    let ada = json!({"name": "Ada", "likes": ["chess", "tea"]});
    agent.set("user", NewEntry::new(&ada).memory_type(MemoryType::Preference)).await?;
    println!("user: {:?}", agent.get::<Value>("user").await?);
    println!("nothing there: {:?}", agent.get::<Value>("nothing").await?);

    // Nobody's update is lost, and one factory runs among all callers.
    agent.update("visits", |visits: Option<u32>| visits.unwrap_or(0) + 1).await?;
    let greeting = agent.get_or_set("greeting", async || Ok::<_, Error>("Good morning, Ada".to_owned())).await?;
    println!("greeting: {greeting}");

    // A scope falls back to its parent. It is disposed at the end, here after its entries were copied up.
    let book_table = async |task: WorkingMemory| {
        task.set("table", &7).await?;
        println!("in the task: {:?} {:?}", task.get::<u8>("table").await?, task.get::<u32>("visits").await?);
        Ok::<_, Error>(())
    };
    agent.with_merged_scope("book a table", Merge::Overwrite, book_table).await?;
    println!("after the task: {:?}", agent.get::<u8>("table").await?);

    while let Some(event) = watch.next().await.transpose()? {
        println!("{:>3} {:?} {}", event.revision, event.r#type(), event.key);
        if event.r#type() == EventType::ScopeDisposed {
            break;
        }
    }
    // [end]
    Ok(())
}

async fn finish(client: &Client) -> Result<()> {
    let answer = client.call(v1::GetAgentStatsRequest { agent_id: AGENT.to_owned(), ..Default::default() }).await?;
    println!("bytes used: {}", answer.stats.unwrap_or_default().storage_bytes_used);
    println!("ended with {} entries", client.agent(AGENT).end().await?.entries_cleared);
    Ok(())
}
