//! The watches of a scenario.

use std::collections::VecDeque;

use memoryd::v1::event_service_client::EventServiceClient;
use memoryd::{Transport, v1};
use prost::Message as _;
use serde_json::Value;
use tokio::time::{Instant, timeout_at};
use tonic::{Status, Streaming};

use super::stub::CALL_MAX;
use super::{Played, message};

/// An open watch, and its events that no step has compared yet.
pub struct Watching {
    stream: Streaming<v1::WatchEventsResponse>,
    events: VecDeque<v1::Event>,
}

impl Watching {
    /// Opens a watch and waits for its first message. Returns the status if that fails.
    pub async fn open(transport: Transport, request: &Value) -> Played<Result<Self, Status>> {
        let bytes = message::encode(message::message("WatchEventsRequest"), request)?;
        let request = v1::WatchEventsRequest::decode(bytes.as_slice()).map_err(|error| error.to_string())?;
        let opening = async {
            let mut stream = EventServiceClient::new(transport).watch_events(request).await?.into_inner();
            let first = stream.message().await?;
            Ok((stream, first))
        };
        match timeout_at(Instant::now() + CALL_MAX, opening).await {
            Ok(Ok((stream, Some(first)))) if first.phase() == v1::WatchPhase::Opened => {
                Ok(Ok(Self { stream, events: first.events.into() }))
            }
            Ok(Ok((_, first))) => Err(format!("the first message is not OPENED: {first:?}")),
            Ok(Err(status)) => Ok(Err(status)),
            Err(_) => Err("the watch did not open in time".to_owned()),
        }
    }

    /// Returns the next `count` events as JSON.
    pub async fn next_events(&mut self, count: usize) -> Played<Vec<Value>> {
        let deadline = Instant::now() + CALL_MAX;
        while self.events.len() < count {
            match timeout_at(deadline, self.stream.message()).await {
                Ok(Ok(Some(response))) => self.events.extend(response.events),
                Ok(Ok(None)) => return Err("the watch has ended".to_owned()),
                Ok(Err(status)) => return Err(format!("the watch has failed: {status}")),
                Err(_) => return Err(format!("only {} of {count} events received in time", self.events.len())),
            }
        }
        let events = self.events.drain(..count);
        events.map(|event| message::decode(message::message("Event"), &event.encode_to_vec())).collect()
    }
}
