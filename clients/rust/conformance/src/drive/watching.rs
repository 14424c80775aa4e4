//! A watch that is listened to in the background.

use std::time::Duration;

use memoryd::{Watch, WatchMessage, v1};
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::answer::{Failure, tell};

/// What a watch has told since it began.
#[derive(Default)]
struct Heard {
    events: Vec<Value>,
    resumes: u32,
    resume_token: String,
    failure: Option<Value>,
}

pub struct Watching {
    heard: watch::Receiver<Heard>,
    /// The listener, which ends with the set.
    _listener: JoinSet<()>,
}

impl Watching {
    pub fn listen(events: Watch) -> Self {
        let (sender, heard) = watch::channel(Heard::default());
        let mut listener = JoinSet::new();
        listener.spawn(listen(events, sender));
        Self { heard, _listener: listener }
    }

    /// Waits until so many events were told, the time is over, or the watch failed.
    pub async fn told(&self, count: usize, longest: Duration) -> Result<Value, Failure> {
        let mut heard = self.heard.clone();
        let enough = heard.wait_for(|heard| heard.events.len() >= count || heard.failure.is_some());
        // That the time is over is no failure: what was heard is answered.
        let _ = timeout(longest, enough).await;
        let heard = self.heard.borrow();
        match &heard.failure {
            Some(failure) => Err(Failure::Told(failure.clone())),
            None => Ok(json!({
                "events": heard.events,
                "resumes": heard.resumes,
                "resume_token": heard.resume_token,
            })),
        }
    }
}

async fn listen(mut events: Watch, heard: watch::Sender<Heard>) {
    while let Some(message) = events.next_message().await {
        heard.send_modify(|heard| {
            match message {
                Ok(WatchMessage::Received(response)) => heard.events.extend(response.events.iter().map(event_of)),
                Ok(WatchMessage::Restarted) => {}
                Err(error) => heard.failure = Some(tell(&error)),
            }
            heard.resumes = events.resumes();
            events.resume_token().clone_into(&mut heard.resume_token);
        });
    }
}

fn event_of(event: &v1::Event) -> Value {
    json!({
        "revision": event.revision,
        "index": event.index,
        "type": event.r#type().as_str_name(),
        "key": event.key,
    })
}
