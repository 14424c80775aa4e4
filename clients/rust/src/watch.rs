//! A watch that resumes by itself when its connection breaks.

mod position;
mod progress;
mod request;

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use std::{fmt, mem, vec};

use futures_core::Stream;
use tokio::sync::mpsc;
use tokio::task::AbortHandle;
use tokio::time::sleep;

use crate::channel::Channel;
use crate::error::{Error, ErrorKind, Result};
use crate::v1;

use position::Position;
use progress::Progress;
pub use request::WatchBuilder;

/// A message of a watch.
#[derive(Clone, Debug, PartialEq)]
pub enum WatchMessage {
    /// A message of the daemon: its phase and its events.
    Received(v1::WatchEventsResponse),
    /// The connection broke during the initial state, which is sent again from its beginning: discard what was received
    /// of it so far.
    Restarted,
}

/// Committed events as they happen: each once and in order, also across restarts of the daemon.
///
/// It is a [`Stream`] of events; [`next`](Self::next) reads it without another crate.
/// [`next_message`](Self::next_message) returns whole messages with their phases. Dropping the watch ends it, as does
/// its [`closer`](Self::closer) from any task.
///
/// What an event is about is its [`subject`](v1::event::Subject), to match. Each kind of subject has the ids of the
/// record, the record after the change, which is `None` if the change removed it, and the one before it (see
/// [`WatchBuilder::previous`]). The subject is `None` if the server is newer than this client and has other subjects.
///
/// An error is the last item: `RevisionCompacted` if the journal no longer retains the next event, `Unavailable` if the
/// daemon stays unavailable for too long, and other refusals of the daemon.
pub struct Watch {
    messages: mpsc::Receiver<Result<WatchMessage>>,
    task: AbortHandle,
    position: Position,
    current: Option<Current>,
}

/// The message whose events are being delivered: the remaining events, and its other fields.
struct Current {
    events: vec::IntoIter<v1::Event>,
    rest: v1::WatchEventsResponse,
}

impl Watch {
    /// Opens the watch, and waits for its first message. No commit after that is missed.
    async fn open(channel: Channel, request: v1::WatchEventsRequest, outage_max: Option<Duration>) -> Result<Self> {
        let position = Position::new(&request);
        let progress = Progress::new(request, channel.patience.connect_timeout, outage_max);
        let (sender, messages) = mpsc::channel(1);
        let task = channel.runtime().clone().spawn(receive(channel, progress, sender)).abort_handle();
        let mut watch = Self { messages, task, position, current: None };
        match watch.messages.recv().await {
            Some(Ok(WatchMessage::Received(opened))) => {
                watch.begin_delivery(opened);
                Ok(watch)
            }
            Some(Err(error)) => Err(error),
            Some(Ok(WatchMessage::Restarted)) | None => {
                Err(Error::new(ErrorKind::Cancelled, "the runtime ended before the watch began"))
            }
        }
    }

    /// Returns the next event, or `None` once the watch is closed. Cancel safe: no event is lost.
    pub async fn next(&mut self) -> Option<Result<v1::Event>> {
        std::future::poll_fn(|context| Pin::new(&mut *self).poll_next(context)).await
    }

    /// Returns the next message with its phase, or `None` once the watch is closed. The first is the one that opened
    /// the watch. If [`next`](Self::next) has returned some of a message's events, the message contains the others.
    /// Cancel safe.
    pub async fn next_message(&mut self) -> Option<Result<WatchMessage>> {
        if self.current.is_none() {
            match self.messages.recv().await? {
                Ok(WatchMessage::Received(response)) => self.begin_delivery(response),
                other => return Some(other),
            }
        }
        let Current { events, rest } = self.current.take()?;
        self.position.delivered(&rest);
        Some(Ok(WatchMessage::Received(v1::WatchEventsResponse { events: events.collect(), ..rest })))
    }

    /// Returns the token with which a later watch continues after the last event that was returned; empty at first.
    ///
    /// Save it once that event is processed. Within a message of many events it stays at the previous message.
    #[must_use]
    pub fn resume_token(&self) -> &str {
        &self.position.resume_token
    }

    /// Returns the agent's revision up to which all events were returned if the filters name exactly one agent, else 0.
    #[must_use]
    pub fn revision(&self) -> i64 {
        self.position.revision
    }

    /// Returns whether the initial state was received completely; true from the start if none was requested.
    #[must_use]
    pub fn initial_state_complete(&self) -> bool {
        self.position.initial_state_complete
    }

    /// Returns the number of times the watch has reconnected.
    #[must_use]
    pub fn resumes(&self) -> u32 {
        self.position.resumes
    }

    /// Returns a handle that ends the watch from any task.
    #[must_use]
    pub fn closer(&self) -> WatchCloser {
        WatchCloser(self.task.clone())
    }

    /// Makes a message the current one, whose events are delivered next.
    fn begin_delivery(&mut self, mut rest: v1::WatchEventsResponse) {
        self.position.received(&rest);
        let events = mem::take(&mut rest.events).into_iter();
        self.current = Some(Current { events, rest });
    }
}

impl Stream for Watch {
    type Item = Result<v1::Event>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        loop {
            if let Some(current) = &mut this.current {
                let event = current.events.next();
                if current.events.len() == 0 {
                    this.position.delivered(&current.rest);
                    this.current = None;
                }
                if let Some(event) = event {
                    return Poll::Ready(Some(Ok(event)));
                }
            }
            match ready!(this.messages.poll_recv(context)) {
                Some(Ok(WatchMessage::Received(response))) => this.begin_delivery(response),
                Some(Ok(WatchMessage::Restarted)) => {}
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                None => return Poll::Ready(None),
            }
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch").field("position", &self.position).finish_non_exhaustive()
    }
}

/// Ends a watch from any task. The stream yields at most what was already received, and then ends.
#[derive(Clone, Debug)]
pub struct WatchCloser(AbortHandle);

impl WatchCloser {
    /// Ends the watch. A second call does nothing.
    pub fn close(&self) {
        self.0.abort();
    }
}

/// Sends the received messages to the watch, and reconnects if necessary, until the watch is dropped or has failed.
async fn receive(channel: Channel, mut progress: Progress, messages: mpsc::Sender<Result<WatchMessage>>) {
    loop {
        let Some(lost) = receive_once(&channel, &mut progress, &messages).await else {
            return;
        };
        match progress.lost(lost) {
            Ok(delay) => sleep(delay).await,
            Err(error) => {
                let _ = messages.send(Err(error)).await;
                return;
            }
        }
        if progress.restarts() && messages.send(Ok(WatchMessage::Restarted)).await.is_err() {
            return;
        }
    }
}

/// Receives the messages of one connection. Returns why it ended, or `None` if the watch was dropped.
async fn receive_once(
    channel: &Channel,
    progress: &mut Progress,
    messages: &mpsc::Sender<Result<WatchMessage>>,
) -> Option<Error> {
    let mut stream = match channel.watch(progress.request()).await {
        Ok(stream) => stream,
        Err(error) => return Some(error),
    };
    loop {
        match stream.message().await {
            Ok(Some(response)) => {
                progress.received(&response);
                messages.send(Ok(WatchMessage::Received(response))).await.ok()?;
            }
            Ok(None) => return Some(Error::new(ErrorKind::Unavailable, "the daemon ended the watch")),
            Err(status) => return Some(channel.failure(status)),
        }
    }
}
