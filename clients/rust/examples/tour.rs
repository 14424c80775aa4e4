//! A tour of the client: each kind of memory once, errors, and a daemon that is killed on the way.
//!
//! Run it while a daemon runs: `cargo run --example tour`. It asks for the daemon to be killed and started again.
//! `MEMORYD_ADDRESS` is the daemon's address, by default 127.0.0.1:7600. The tours of all languages print the same lines.

use std::collections::BTreeSet;
use std::io;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use memoryd::kinds::{
    ContextSection, MemoriesSource, MessageDraft, MessagesSource, NotesSource, PlanSource, PlanStepDraft, TextSource,
};
use memoryd::v1::event::Subject;
use memoryd::v1::{MessageRole, PlanStepStatus};
use memoryd::{Agent, Client, Error, NewEntry, Result, Watch};
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;
use tokio::time::timeout;

#[derive(Serialize, Deserialize)]
struct Trip {
    city: String,
    nights: u32,
}

impl Trip {
    fn to(city: &str, nights: u32) -> Self {
        Self { city: city.to_owned(), nights }
    }
}

#[tokio::main]
async fn main() -> ExitCode {
    match tour().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn tour() -> Result<()> {
    let client = Client::builder().origin("tour").connect()?;
    client.agent("tour").end().await?;
    let agent = client.agent("tour").user("ada"); // all that is written and read below is Ada's
    Box::pin(working_memory(&agent)).await?;
    watch_across_a_kill(&agent).await?;
    refusals(&agent).await?;
    near_cache(&agent).await?;
    records(&agent).await?;
    fragments(&agent).await?;
    compose(&agent).await?;
    client.agent("tour").end().await.map(drop)
}

async fn working_memory(agent: &Agent) -> Result<()> {
    agent.set("trip", NewEntry::new(&Trip::to("Lisbon", 3)).ttl(Duration::from_secs(3_600))).await?;
    let entry = agent.get_entry("trip").await?.expect("it was set");
    let trip: Trip = entry.value()?;
    let expires = if entry.expire_time.is_some() { "expires" } else { "stays" };
    println!("trip: {}, {} nights, {expires}", trip.city, trip.nights);

    agent
        .with_scope("booking", async |scope| {
            // Its entries are gone at the end; reads fall back to the agent's.
            scope.set("seat", "12A").await?;
            let seat: Option<String> = scope.get("seat").await?;
            println!("in the scope: {}, seat {}", city(scope.get("trip").await?), seat.unwrap_or_default());
            Ok::<_, Error>(())
        })
        .await?;
    println!("after the scope: seat {}", agent.get("seat").await?.unwrap_or_else(|| "none".to_owned()));

    let runs = AtomicU32::new(0);
    let greet = async || {
        runs.fetch_add(1, Ordering::Relaxed);
        Ok::<_, Error>("Good morning, Ada".to_owned())
    };
    let ask = || agent.get_or_set("greeting", &greet);
    let greetings = tokio::join!(ask(), ask(), ask(), ask(), ask(), ask(), ask(), ask());
    let greetings: [Result<String>; 8] = greetings.into();
    let (callers, runs) = (greetings.len(), runs.load(Ordering::Relaxed));
    let different = greetings.into_iter().collect::<Result<BTreeSet<_>>>()?;
    println!("get or set: {callers} callers, {runs} run, {}", Vec::from_iter(different).join(", "));

    let mut tx = agent.transaction(); // all of it, or nothing
    let (adults, children) = (tx.set("adults", &2), tx.set("children", &1));
    let done = tx.commit().await?;
    let is_one = done.get(&adults).revision == done.get(&children).revision;
    println!("transaction: {}", if is_one { "one revision" } else { "several" });
    Ok(())
}

async fn watch_across_a_kill(agent: &Agent) -> Result<()> {
    let mut watch = agent.watch().key_prefix("step-").await?;
    agent.set("step-1", "booked").await?;
    println!("watched: {}", next_key(&mut watch).await?);
    println!("Kill the daemon, start it again, and press Enter.");
    tokio::task::spawn_blocking(|| io::stdin().read_line(&mut String::new())).await.expect("it reads").ok();
    agent.set("step-2", "packed").await?; // is retried until the daemon is back
    println!("watched: {}", next_key(&mut watch).await?); // the watch has resumed by itself, and missed nothing
    Ok(())
}

async fn next_key(watch: &mut Watch) -> Result<String> {
    while let Some(event) = watch.next().await.transpose()? {
        if let Some(Subject::Entry(entry)) = event.subject {
            return Ok(entry.key);
        }
    }
    unreachable!("a watch does not end by itself")
}

async fn refusals(agent: &Agent) -> Result<()> {
    println!("a bad key: {}", refusal(agent.set("", &1).await));
    let entry = agent.get_entry("trip").await?.expect("it was set");
    agent.set("trip", &Trip::to("Lisbon", 4)).await?; // another writer is faster
    println!("a lost race: {}", refusal(agent.set("trip", NewEntry::new(&0).expected_revision(entry.revision)).await));
    println!("a wrong type: {}", refusal(agent.get::<i64>("trip").await));
    println!("a missing record: {}", refusal(agent.notes().get("nothing").await));
    let waiting = agent.fragments().take().wait_duration(Duration::from_secs(60));
    if timeout(Duration::from_millis(50), waiting.into_future()).await.is_err() {
        println!("a cancelled call: ended"); // its future was dropped
    }
    Ok(())
}

fn refusal<T>(result: Result<T>) -> String {
    result.err().map_or_else(|| "none".to_owned(), |error| format!("{:?}", error.kind()))
}

async fn near_cache(agent: &Agent) -> Result<()> {
    // A copy in this process: a read makes no call, and has the client's own writes at once.
    let near = agent.near_cache().await?;
    println!("near cache: {}", city(near.get("trip").await?));
    agent.set("trip", &Trip::to("Porto", 2)).await?;
    println!("near cache: {}", city(near.get("trip").await?));
    Ok(())
}

fn city(trip: Option<Trip>) -> String {
    trip.map_or_else(|| "nowhere".to_owned(), |trip| trip.city)
}

async fn records(agent: &Agent) -> Result<()> {
    agent.memories().remember("Ada likes the window seat on trains.").importance(0.8).await?;
    agent.memories().remember("Ada's sister lives in Oslo.").await?;
    let found = agent.memories().recall("Which seat does Ada like?").limit(1).await?;
    let recalled = found.memories.into_iter().filter_map(|found| found.memory).map(|memory| memory.content);
    println!("recalled: {}", recalled.collect::<String>());

    agent.notes().create("Budget", "200 euros for one journey.").await?;
    let titles: Vec<_> = agent.notes().list().await?.into_iter().map(|note| note.title).collect();
    println!("notes: {}", titles.join(", "));

    let steps = ["book a train", "pack"].map(PlanStepDraft::new);
    let plan = agent.plans().create("Travel to Porto").steps(steps).conversation_id("porto").await?;
    let booked = agent.plans().update_step(&plan.steps[0].step_id).status(PlanStepStatus::Completed);
    booked.conversation_id("porto").await?;
    let plan = agent.plans().get().conversation_id("porto").await?;
    let completed: Vec<_> = plan.steps.iter().filter(|step| step.status() == PlanStepStatus::Completed).collect();
    let descriptions: Vec<_> = completed.iter().map(|step| step.description.as_str()).collect();
    println!("plan: {} of {} steps completed, {}", completed.len(), plan.steps.len(), descriptions.join(", "));

    let file = b"A passport. A towel. A book.".as_slice(); // any AsyncRead, such as a file
    let upload = agent.documents().create().title("Packing list").media_type("text/plain").upload(file);
    let report = |sent| {
        if sent == 28 {
            println!("uploaded: {sent} bytes");
        }
    };
    let document = upload.progress(report).await?;
    let chunks = agent.documents().search("towel").await?.chunks;
    println!("document: {}, found in {} chunk", document.title, chunks.len());
    Ok(())
}

async fn fragments(agent: &Agent) -> Result<()> {
    for content in ["The train is late.", "Ada is hungry."] {
        agent.fragments().create(content).await?;
    }
    agent.fragments().flush().await?;
    let (seen, mut received) = mpsc::unbounded_channel();
    let consumer = agent.fragments().consumer().start(move |delivery| {
        for fragment in delivery.fragments {
            seen.send(fragment.content).ok();
        }
        async { Ok::<_, Error>(()) }
    });
    let mut contents = BTreeSet::new(); // a fragment may be consumed again
    while contents.len() < 2 {
        contents.extend(received.recv().await);
    }
    consumer.close().await?;
    println!("consumed: {}", Vec::from_iter(contents).join(" "));
    Ok(())
}

async fn compose(agent: &Agent) -> Result<()> {
    let request = MessageDraft::new(MessageRole::User).content("Please book a seat for me.");
    agent.conversations().append("porto", [request]).await?;
    let sections = [
        ContextSection::new().text(TextSource::new("You book journeys.")),
        ContextSection::new().notes(NotesSource::new()),
        ContextSection::new().plan(PlanSource::new()),
        ContextSection::new().memories(MemoriesSource::new().limit(1)),
        ContextSection::new().messages(MessagesSource::new()),
    ];
    let context = agent.compose().conversation_id("porto").max_tokens(4_000).sections(sections).await?;
    for message in context.messages {
        println!("composed: {}, {}", format!("{:?}", message.role()).to_lowercase(), message.section);
    }
    Ok(())
}
