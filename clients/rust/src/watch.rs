//! A watch that goes on by itself when its connection breaks.

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
    /// What the daemon sent: its phase, and its events.
    Received(v1::WatchEventsResponse),
    /// The connection broke before all of the initial state was told, which begins again now: forget what was told.
    Restarted,
}

/// Committed events as they happen: each once and in order, also across restarts of the daemon.
///
/// It is a [`Stream`] of events, whose [`next`](Self::next) needs no other crate;
/// [`next_message`](Self::next_message) tells more than the events. It ends with its guard, or by [`closer`](Self::closer)
/// from anywhere.
///
/// An item is an error when the watch is over: `RevisionCompacted` when the journal no longer has what comes next,
/// `Unavailable` when the daemon stayed away for too long, and other refusals of the daemon. It is the last item.
pub struct Watch {
    messages: mpsc::Receiver<Result<WatchMessage>>,
    task: AbortHandle,
    position: Position,
    current: Option<Current>,
}

/// The message whose events are being told: those that remain, and what else it said.
struct Current {
    events: vec::IntoIter<v1::Event>,
    rest: v1::WatchEventsResponse,
}

impl Watch {
    /// Begins the watch: answers when the first message came, from which on no commit is missed.
    async fn open(channel: Channel, request: v1::WatchEventsRequest, outage_max: Option<Duration>) -> Result<Self> {
        let position = Position::new(&request);
        let progress = Progress::new(request, channel.patience.connect_timeout, outage_max);
        let (sender, messages) = mpsc::channel(1);
        let task = channel.runtime().clone().spawn(receive(channel, progress, sender)).abort_handle();
        let mut watch = Self { messages, task, position, current: None };
        match watch.messages.recv().await {
            Some(Ok(WatchMessage::Received(opened))) => {
                watch.take_up(opened);
                Ok(watch)
            }
            Some(Err(error)) => Err(error),
            Some(Ok(WatchMessage::Restarted)) | None => {
                Err(Error::new(ErrorKind::Cancelled, "the runtime ended before the watch began"))
            }
        }
    }

    /// Answers the next event, `None` when the watch was closed. Cancel safe: an event that was not answered comes next.
    pub async fn next(&mut self) -> Option<Result<v1::Event>> {
        std::future::poll_fn(|context| Pin::new(&mut *self).poll_next(context)).await
    }

    /// Answers the next message with its phase, `None` when the watch was closed. The first is the one that opened the
    /// watch. When some of a message's events were answered by [`next`](Self::next), the message has the others. Cancel
    /// safe.
    pub async fn next_message(&mut self) -> Option<Result<WatchMessage>> {
        if self.current.is_none() {
            match self.messages.recv().await? {
                Ok(WatchMessage::Received(response)) => self.take_up(response),
                other => return Some(other),
            }
        }
        let Current { events, rest } = self.current.take()?;
        self.position.delivered(&rest);
        Some(Ok(WatchMessage::Received(v1::WatchEventsResponse { events: events.collect(), ..rest })))
    }

    /// The token that continues after the last event that was answered, for a later watch; empty at first.
    ///
    /// Keep it once that event is dealt with. Inside of a message of many events it stays at the one before.
    #[must_use]
    pub fn resume_token(&self) -> &str {
        &self.position.resume_token
    }

    /// The agent's revision up to which all was told, when the filters name exactly one agent, else 0.
    #[must_use]
    pub fn revision(&self) -> i64 {
        self.position.revision
    }

    /// Whether what was there at the start has been told; true from the start when it was not asked for.
    #[must_use]
    pub fn initial_state_complete(&self) -> bool {
        self.position.initial_state_complete
    }

    /// How often the watch has connected again.
    #[must_use]
    pub fn resumes(&self) -> u32 {
        self.position.resumes
    }

    /// Answers what ends the watch from anywhere.
    #[must_use]
    pub fn closer(&self) -> WatchCloser {
        WatchCloser(self.task.clone())
    }

    /// Begins to tell a message.
    fn take_up(&mut self, mut rest: v1::WatchEventsResponse) {
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
                Some(Ok(WatchMessage::Received(response))) => this.take_up(response),
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

/// Ends a watch from anywhere. Who listens hears at most what has come already, and then the end of the stream.
#[derive(Clone, Debug)]
pub struct WatchCloser(AbortHandle);

impl WatchCloser {
    /// Ends the watch. A second time does nothing.
    pub fn close(&self) {
        self.0.abort();
    }
}

/// Hands over what comes, across as many connections as it takes, until nobody listens or going on is no use.
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

/// Answers why the connection ended; `None` when nobody listens any more.
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
