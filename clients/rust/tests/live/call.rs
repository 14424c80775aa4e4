//! Calls, their retries and their errors.

use std::time::{Duration, Instant};

use memoryd::v1::set_entry_request::Content;
use memoryd::{Client, Error, ErrorKind, v1};
use tokio::net::TcpListener;
use tonic::Code;

use crate::daemon::{client, fresh, fresh_agent};

#[tokio::test]
async fn an_invalid_field_is_named_in_the_error() {
    let Some(agent) = fresh_agent() else { return };
    let error = agent.set(" ", &1).await.unwrap_err();
    assert_eq!((error.kind(), error.code()), (ErrorKind::InvalidArgument, Some(Code::InvalidArgument)));
    assert_eq!(error.reason(), "ERROR_REASON_INVALID_FIELD");
    assert!(error.fields().contains_key("key"), "{error:?}");
    assert_eq!(error.metadata().get("field").map(String::as_str), Some("key"));
}

#[tokio::test]
async fn an_exceeded_limit_is_named_in_the_error() {
    let Some(agent) = fresh_agent() else { return };
    let error = agent.set("large", &"x".repeat(2 << 20)).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TooLarge);
    assert_eq!((error.limit(), error.limit_value()), (Some("entry_bytes"), Some(1 << 20)));
}

#[tokio::test]
async fn any_unary_call_can_be_made() {
    let Some(client) = client() else { return };
    let info = client.call(v1::GetServerInfoRequest {}).await.unwrap();
    assert_eq!(info.state(), v1::ServerState::Serving);
    let request = v1::GetAgentStatsRequest { agent_id: fresh("agent"), ..Default::default() };
    assert_eq!(client.call(request).await.unwrap_err().kind(), ErrorKind::AgentNotFound);
}

#[tokio::test]
async fn a_request_id_that_the_caller_set_is_kept() {
    let Some(client) = client() else { return };
    let request = v1::SetEntryRequest {
        agent_id: fresh("agent"),
        key: "k".to_owned(),
        content: Some(Content::ValueJson("1".to_owned())),
        request_id: fresh("request"),
        ..Default::default()
    };
    let first = client.call(request.clone()).await.unwrap();
    assert_eq!(client.call(request.clone()).await.unwrap(), first, "the repeated change changes nothing");
    let other = v1::SetEntryRequest { key: "other".to_owned(), ..request };
    assert_eq!(client.call(other).await.unwrap_err().kind(), ErrorKind::RequestIdReused);
}

#[tokio::test]
async fn the_status_of_a_stub_converts_to_an_error() {
    let Some(client) = client() else { return };
    let request = v1::GetAgentRequest { agent_id: fresh("agent"), ..Default::default() };
    let status = client.agents().get_agent(request).await.unwrap_err();
    assert_eq!(Error::from(status).kind(), ErrorKind::AgentNotFound);
    let listed = client.events().list_events(v1::ListEventsRequest::default()).await;
    assert!(listed.unwrap().into_inner().events.len() <= 100);
}

#[tokio::test]
async fn events_carry_the_origin() {
    let Some(_) = client() else { return };
    let client = Client::builder().origin("planner").connect().unwrap();
    let agent = client.agent(fresh("agent"));
    let mut watch = agent.watch().await.unwrap();
    agent.set("k", &1).await.unwrap();
    assert_eq!(watch.next().await.unwrap().unwrap().origin, "planner");
}

/// These need no daemon.
#[tokio::test]
async fn an_absent_daemon_is_retried_for_the_connect_timeout() {
    let free = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let connect_timeout = Duration::from_millis(500);
    let client = Client::builder().target(free.to_string()).connect_timeout(connect_timeout).connect().unwrap();
    let start = Instant::now();
    let error = client.agent("a").set("k", &1).await.unwrap_err();
    assert_eq!((error.kind(), error.code()), (ErrorKind::Unavailable, Some(Code::Unavailable)));
    assert!(error.message().contains(&free.to_string()), "{error}");
    assert!((connect_timeout / 4..4 * connect_timeout).contains(&start.elapsed()), "{:?}", start.elapsed());
    let error = client.agent("a").watch().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
}

#[tokio::test]
async fn a_daemon_that_does_not_respond_is_waited_for_until_the_timeout() {
    // The kernel accepts connections to the listener, but nothing ever reads from them.
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = silent.local_addr().unwrap().to_string();
    let client = Client::builder().target(address).connect().unwrap().with_timeout(Duration::from_millis(300));
    let error = client.agent("a").set("k", &1).await.unwrap_err();
    assert_eq!((error.kind(), error.code()), (ErrorKind::DeadlineExceeded, Some(Code::DeadlineExceeded)));
}
