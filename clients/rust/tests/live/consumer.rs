//! Consumers of fragments.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use memoryd::{Agent, Error, ErrorKind};
use tokio::sync::mpsc;

use crate::daemon::{fresh_agent, soon};

async fn flush(agent: &Agent, contents: &[&str]) {
    for &content in contents {
        agent.fragments().create(content).await.unwrap();
    }
    agent.fragments().flush().await.unwrap();
}

async fn left(agent: &Agent) -> i64 {
    agent.fragments().count().await.unwrap().fragment_count
}

#[tokio::test]
async fn a_consumer_has_fragments_handled_which_then_leave_the_buffer() {
    let Some(agent) = fresh_agent() else { return };
    let (handled, mut contents) = mpsc::unbounded_channel();
    let consumer = agent.fragments().consumer().start(move |delivery| {
        for fragment in delivery.fragments {
            handled.send(fragment.content).unwrap();
        }
        async { Ok::<_, Error>(()) }
    });
    flush(&agent, &["one", "two"]).await;
    for expected in ["one", "two"] {
        assert_eq!(soon(contents.recv()).await.unwrap(), expected);
    }
    soon(consumer.close()).await.unwrap();
    assert_eq!(left(&agent).await, 0);
}

#[tokio::test]
async fn fragments_whose_handler_fails_are_delivered_again() {
    let Some(agent) = fresh_agent() else { return };
    flush(&agent, &["one"]).await;
    let (handled, mut deliveries) = mpsc::unbounded_channel();
    let errors = Arc::new(Mutex::new(Vec::new()));
    let kept = errors.clone();
    let options = agent.fragments().consumer().on_error(move |error| kept.lock().unwrap().push(error.to_string()));
    let consumer = options.start(move |delivery| {
        let count = delivery.fragments[0].delivery_count;
        handled.send(count).unwrap();
        async move { if count == 1 { Err("no") } else { Ok(()) } }
    });
    for expected in [1, 2] {
        assert_eq!(soon(deliveries.recv()).await.unwrap(), expected);
    }
    soon(consumer.close()).await.unwrap();
    assert_eq!(*errors.lock().unwrap(), ["no"]);
    assert_eq!(left(&agent).await, 0);
}

#[tokio::test]
async fn the_lease_is_renewed_while_the_handler_runs() {
    let Some(agent) = fresh_agent() else { return };
    flush(&agent, &["one"]).await;
    let (handled, mut taken) = mpsc::unbounded_channel();
    let other = agent.clone();
    let consumer = agent.fragments().consumer().lease(Duration::from_millis(300)).start(move |_| {
        let (other, handled) = (other.clone(), handled.clone());
        async move {
            // Past the end of the first lease, nobody else is given the fragment.
            for _ in 0..3 {
                let taken = other.fragments().take().wait_duration(Duration::from_millis(200)).await?;
                handled.send(taken.fragments).unwrap();
            }
            Ok::<_, Error>(())
        }
    });
    for _ in 0..3 {
        assert_eq!(soon(taken.recv()).await.unwrap(), []);
    }
    soon(consumer.close()).await.unwrap();
    assert_eq!(left(&agent).await, 0);
}

#[tokio::test]
async fn a_handler_is_told_that_its_lease_is_lost() {
    let Some(agent) = fresh_agent() else { return };
    flush(&agent, &["one"]).await;
    let (told, mut lost) = mpsc::unbounded_channel();
    let (erring, mut errors) = mpsc::unbounded_channel();
    let clearing = agent.clone();
    let consumer = agent
        .fragments()
        .consumer()
        .lease(Duration::from_millis(300))
        .on_error(move |error| erring.send(error.downcast_ref::<Error>().map(Error::kind)).unwrap())
        .start(move |delivery| {
            let (clearing, told) = (clearing.clone(), told.clone());
            async move {
                clearing.fragments().clear().await?;
                delivery.lease_lost().await;
                told.send(()).unwrap();
                Ok::<_, Error>(())
            }
        });
    soon(lost.recv()).await.unwrap();
    soon(consumer.close()).await.unwrap();
    assert_eq!(soon(errors.recv()).await.unwrap(), Some(ErrorKind::LeaseLost));
    assert_eq!(errors.recv().await, None);
}

#[tokio::test]
async fn a_consumer_ends_with_an_error_that_no_retry_resolves() {
    let Some(agent) = fresh_agent() else { return };
    let options = agent.fragments().consumer().lease(Duration::from_millis(1));
    let mut consumer = options.start(async |_| Ok::<_, Error>(()));
    assert_eq!(soon(consumer.ended()).await.unwrap_err().kind(), ErrorKind::InvalidArgument);
    soon(consumer.close()).await.unwrap();
}

#[tokio::test]
async fn what_a_closed_consumer_still_receives_is_released() {
    let Some(agent) = fresh_agent() else { return };
    let consumer = agent.fragments().consumer().start(async |_| Err::<(), _>("it is closed"));
    let (closed, ()) = tokio::join!(consumer.close(), flush(&agent, &["one"]));
    closed.unwrap();
    let taken = agent.fragments().take().wait_duration(Duration::from_secs(5)).await.unwrap();
    assert_eq!(taken.fragments.len(), 1);
}
