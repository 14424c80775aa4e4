//! Uploads of documents in parts.

use std::io;
use std::pin::Pin;
use std::sync::mpsc;
use std::task::{Context, Poll};

use memoryd::{Condition, ErrorKind};
use tokio::io::{AsyncRead, ReadBuf};

use crate::daemon::{fresh, fresh_agent, soon};

const PART_BYTES: usize = 1024 * 1024;

fn file(text: &str) -> io::Cursor<Vec<u8>> {
    io::Cursor::new(text.as_bytes().to_vec())
}

#[tokio::test]
async fn a_document_is_uploaded_in_parts() {
    let Some(agent) = fresh_agent() else { return };
    let text = "A ship floats. ".repeat(100_000);
    let (sent, parts) = mpsc::channel();
    let create = agent.user("ada").documents().create().title("Ships").media_type("text/plain").tags(["sea"]);
    let document = create.upload(file(&text)).progress(move |bytes| sent.send(bytes).unwrap()).await.unwrap();
    assert_eq!((document.title.as_str(), document.user_id.as_str()), ("Ships", "ada"));
    let sent: Vec<_> = parts.iter().collect();
    assert_eq!(sent, [PART_BYTES as u64, text.len() as u64]);
    let chunks = agent.documents().chunks(document.document_id).await.unwrap();
    assert_eq!(chunks.iter().map(|chunk| chunk.text.as_str()).collect::<String>(), text);
}

#[tokio::test]
async fn the_file_of_an_update_is_the_new_content() {
    let Some(agent) = fresh_agent() else { return };
    let documents = agent.documents();
    let created = documents.create().title("Boats").text("A boat floats.").await.unwrap();
    let unchanged = Condition::ExpectedRevision(created.revision);
    let update = || documents.update(&created.document_id).title("Ships").media_type("text/plain").condition(unchanged);
    assert_eq!(update().upload(file("A ship floats.")).await.unwrap().title, "Ships");
    assert_eq!(documents.chunk(&created.document_id, 1).await.unwrap().text, "A ship floats.");
    let error = update().upload(file("A ship sinks.")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::RevisionMismatch);
}

#[tokio::test]
async fn an_upload_with_a_request_id_is_made_once() {
    let Some(agent) = fresh_agent() else { return };
    let request_id = fresh("request");
    for _ in 0..2 {
        let create = agent.documents().create().media_type("text/plain").request_id(&request_id);
        create.upload(file("A ship floats.")).await.unwrap();
    }
    assert_eq!(agent.documents().list().await.unwrap().len(), 1);
}

/// A file whose reading fails after some text.
struct Torn(Option<&'static str>);

impl AsyncRead for Torn {
    fn poll_read(mut self: Pin<&mut Self>, _: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        match self.0.take() {
            Some(text) => buffer.put_slice(text.as_bytes()),
            None => return Poll::Ready(Err(io::Error::other("the disk is gone"))),
        }
        Poll::Ready(Ok(()))
    }
}

#[tokio::test]
async fn a_file_that_cannot_be_read_changes_nothing() {
    let Some(agent) = fresh_agent() else { return };
    let torn = agent.documents().create().media_type("text/plain").upload(Torn(Some("A ship")));
    let error = soon(torn.into_future()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Cancelled);
    assert!(error.message().contains("the disk is gone"), "{error}");
    assert_eq!(agent.documents().list().await.unwrap(), []);
}

#[tokio::test]
async fn an_upload_has_no_other_content() {
    let Some(agent) = fresh_agent() else { return };
    let error = agent.documents().create().text("A boat").upload(file("A ship")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
}
