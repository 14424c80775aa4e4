//! A watch whose events are collected in the background.

use std::time::Duration;

use memoryd::{Watch, WatchMessage, v1};
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::failure::{Failure, error_json};

/// What a watch has received since it began.
#[derive(Default)]
struct Record {
    events: Vec<Value>,
    resumes: u32,
    resume_token: String,
    failure: Option<Value>,
}

pub struct Watching {
    record: watch::Receiver<Record>,
    /// The listener, which is aborted when the set is dropped.
    _listener: JoinSet<()>,
}

impl Watching {
    pub fn listen(events: Watch) -> Self {
        let (sender, record) = watch::channel(Record::default());
        let mut listener = JoinSet::new();
        listener.spawn(listen(events, sender));
        Self { record, _listener: listener }
    }

    /// Waits until `count` events were received, `longest` has passed, or the watch failed.
    pub async fn wait_for(&self, count: usize, longest: Duration) -> Result<Value, Failure> {
        let mut changes = self.record.clone();
        let enough = changes.wait_for(|record| record.events.len() >= count || record.failure.is_some());
        // The end of the time is not a failure: return what was received.
        let _ = timeout(longest, enough).await;
        let record = self.record.borrow();
        match &record.failure {
            Some(failure) => Err(Failure::Recorded(failure.clone())),
            None => Ok(json!({
                "events": record.events,
                "resumes": record.resumes,
                "resume_token": record.resume_token,
            })),
        }
    }
}

async fn listen(mut events: Watch, sender: watch::Sender<Record>) {
    while let Some(message) = events.next_message().await {
        sender.send_modify(|record| {
            match message {
                Ok(WatchMessage::Received(response)) => record.events.extend(response.events.iter().map(event_of)),
                Ok(WatchMessage::Restarted) => {}
                Err(error) => record.failure = Some(error_json(&error)),
            }
            record.resumes = events.resumes();
            events.resume_token().clone_into(&mut record.resume_token);
        });
    }
}

fn event_of(event: &v1::Event) -> Value {
    let key = match &event.subject {
        Some(v1::event::Subject::Entry(entry)) => entry.key.as_str(),
        _ => "",
    };
    json!({
        "revision": event.revision,
        "index": event.index,
        "type": event.r#type().as_str_name(),
        "key": key,
    })
}
