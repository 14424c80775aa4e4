//! Shows the main operations of the client in order.
//!
//! Needs a running daemon, at `MEMORYD_ADDRESS` or 127.0.0.1:7600: `cargo run --example first_steps`.

use std::process::ExitCode;

use memoryd::v1::event::Subject;
use memoryd::v1::{self, EntryType, EventType, RecordKind};
use memoryd::{Client, Error, Merge, NewEntry, Result, WorkingMemory, counts_by_kind};
use serde_json::{Value, json};

const AGENT: &str = "first-steps";

#[tokio::main]
async fn main() -> ExitCode {
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("first steps: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run() -> Result<()> {
    let client = Client::connect()?;
    let info = client.call(v1::GetServerInfoRequest {}).await?;
    println!("memoryd {} at {}", info.version, client.target());
    println!("an earlier agent ended: {}", client.agent(AGENT).end().await?.deleted);
    remember().await?;
    finish(&client).await
}

async fn remember() -> Result<()> {
    // [first steps]
    // Connects to the daemon at MEMORYD_ADDRESS, else 127.0.0.1:7600.
    let agent = Client::builder().origin("first-steps").connect()?.agent("first-steps");
    let mut watch = agent.watch().await?; // no commit after this is missed

    let ada = json!({"name": "Ada", "likes": ["chess", "tea"]});
    agent.set("user", NewEntry::new(&ada).entry_type(EntryType::Preference)).await?;
    println!("user: {:?}", agent.get::<Value>("user").await?);
    println!("nothing there: {:?}", agent.get::<Value>("nothing").await?);

    // No concurrent update is lost, and only one of all callers runs its factory.
    agent.update("visits", |visits: Option<u32>| visits.unwrap_or(0) + 1).await?;
    let greeting = agent.get_or_set("greeting", async || Ok::<_, Error>("Good morning, Ada".to_owned())).await?;
    println!("greeting: {greeting}");

    // Reads in a scope fall back to its parent. At the end its entries are copied to the parent, and it is disposed.
    let book_table = async |task: WorkingMemory| {
        task.set("table", &7).await?;
        println!("in the task: {:?} {:?}", task.get::<u8>("table").await?, task.get::<u32>("visits").await?);
        Ok::<_, Error>(())
    };
    agent.with_merged_scope("book a table", Merge::Overwrite, book_table).await?;
    println!("after the task: {:?}", agent.get::<u8>("table").await?);

    while let Some(event) = watch.next().await.transpose()? {
        match &event.subject {
            Some(Subject::Entry(entry)) => println!("{:>3} {:?} {}", event.revision, event.r#type(), entry.key),
            Some(Subject::Scope(scope)) => println!("{:>3} {:?} {}", event.revision, event.r#type(), scope.name),
            _ => {}
        }
        if event.r#type() == EventType::ScopeDisposed {
            break;
        }
    }
    // [end]
    Ok(())
}

async fn finish(client: &Client) -> Result<()> {
    let response = client.call(v1::GetAgentStatsRequest { agent_id: AGENT.to_owned(), ..Default::default() }).await?;
    println!("bytes used: {}", response.stats.unwrap_or_default().storage_bytes);
    let removed = counts_by_kind(&client.agent(AGENT).end().await?.cleared);
    println!("entries removed: {}", removed.get(&RecordKind::Entry).unwrap_or(&0));
    Ok(())
}
