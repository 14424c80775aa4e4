//! Uploads of documents in parts.

use std::fmt;
use std::future::{pending, poll_fn};
use std::io;
use std::pin::{Pin, pin};
use std::task::{Context, Poll};
use std::time::Duration;

use futures_core::Stream;
use futures_core::future::BoxFuture;
use tokio::io::{AsyncRead, ReadBuf};
use tokio::sync::oneshot;
use tokio::time::timeout;
use tonic::Request;

use crate::call::Call;
use crate::channel::Channel;
use crate::error::{Error, ErrorKind, Result};
use crate::v1;
use crate::v1::document_service_client::DocumentServiceClient;
use crate::v1::upload_document_header::Target;
use crate::v1::upload_document_request::Part;

const PART_BYTES: usize = 1024 * 1024;

type Progress = Box<dyn FnMut(u64) + Send>;

/// An upload of a document's file in parts: set its options, then await it, which returns the document.
///
/// ```no_run
/// # async fn example(agent: memoryd::Agent, file: impl tokio::io::AsyncRead + Send + 'static) -> memoryd::Result<()> {
/// let report = agent.documents().create().title("Report").media_type("application/pdf");
/// let document = report.upload(file).progress(|bytes| println!("{bytes} bytes")).await?;
/// # Ok(())
/// # }
/// ```
///
/// The client never sends an upload again. To repeat one that has failed, give both the same request id.
///
/// # Errors
///
/// Those of the call that it was made from, `TooLarge`, `DocumentUnreadable` if no text can be extracted from the file,
/// and `Cancelled` if the file cannot be read: nothing has changed then.
///
/// # Cancel safety
///
/// Dropping the future cancels the upload. The document may or may not have changed then.
#[must_use = "nothing is sent until the upload is awaited"]
pub struct Upload {
    channel: Channel,
    header: Result<v1::UploadDocumentHeader>,
    file: Pin<Box<dyn AsyncRead + Send>>,
    progress: Progress,
    timeout: Option<Duration>,
}

impl Upload {
    fn new(channel: Channel, header: Result<v1::UploadDocumentHeader>, file: impl AsyncRead + Send + 'static) -> Self {
        Self { channel, header, file: Box::pin(file), progress: Box::new(|_| ()), timeout: None }
    }

    /// Calls a function with the number of bytes that were sent so far, after each part.
    pub fn progress(mut self, progress: impl FnMut(u64) + Send + 'static) -> Self {
        self.progress = Box::new(progress);
        self
    }

    /// Sets the time after which the upload fails with `DeadlineExceeded`. Default: none, whatever the client's
    /// timeout.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    async fn send(self) -> Result<v1::Document> {
        let (failed, failure) = oneshot::channel();
        let parts = Parts {
            header: Some(self.header?),
            file: self.file,
            buffer: vec![0; PART_BYTES],
            sent: 0,
            progress: self.progress,
            failed: Some(failed),
        };
        let mut request = Request::new(parts);
        if let Some(timeout) = self.timeout {
            request.set_timeout(timeout);
        }
        let mut stub = DocumentServiceClient::new(self.channel.transport());
        let mut call = pin!(stub.upload_document(request));
        let mut failure = pin!(async {
            match failure.await {
                Ok(error) => error,
                // The file was read to its end.
                Err(_) => pending().await,
            }
        });
        let answer = poll_fn(|context| match call.as_mut().poll(context) {
            Poll::Ready(answer) => Poll::Ready(answer.map_err(|status| self.channel.failure(status))),
            // A stream that ended here would be that of a whole file: the call is cancelled instead.
            Poll::Pending => failure.as_mut().poll(context).map(|error| {
                let message = format!("the file cannot be read: {error}");
                Err(Error::new(ErrorKind::Cancelled, message).with_source(error))
            }),
        });
        let Some(limit) = self.timeout else {
            return Ok(answer.await?.into_inner().document.unwrap_or_default());
        };
        let late = |_| Error::new(ErrorKind::DeadlineExceeded, "the upload took longer than its timeout");
        Ok(timeout(limit, answer).await.map_err(late)??.into_inner().document.unwrap_or_default())
    }
}

impl IntoFuture for Upload {
    type Output = Result<v1::Document>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.send())
    }
}

impl fmt::Debug for Upload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Upload").field("header", &self.header).finish_non_exhaustive()
    }
}

impl Call<v1::CreateDocumentRequest, v1::Document> {
    /// Creates the document from a file of any size, which is sent in parts. `text`, `data` and `url` must be left out.
    pub fn upload(self, file: impl AsyncRead + Send + 'static) -> Upload {
        let channel = self.channel();
        let header = self.into_request().and_then(|request| {
            check_content(request.content.is_some())?;
            Ok(v1::UploadDocumentHeader {
                agent_id: request.agent_id,
                request_id: request.request_id,
                agent_precondition: request.agent_precondition,
                target: Some(Target::Create(request.draft.unwrap_or_default())),
                ..Default::default()
            })
        });
        Upload::new(channel, header, file)
    }
}

impl Call<v1::UpdateDocumentRequest, v1::Document> {
    /// Changes the document, whose new content is a file of any size, which is sent in parts. `text`, `data` and `url`
    /// must be left out.
    pub fn upload(self, file: impl AsyncRead + Send + 'static) -> Upload {
        let channel = self.channel();
        let header = self.into_request().and_then(|request| {
            check_content(request.content.is_some())?;
            let update = v1::DocumentUpdate {
                document_id: request.document_id,
                draft: request.draft,
                update_mask: request.update_mask,
            };
            Ok(v1::UploadDocumentHeader {
                agent_id: request.agent_id,
                request_id: request.request_id,
                precondition: request.precondition,
                agent_precondition: request.agent_precondition,
                target: Some(Target::Update(update)),
            })
        });
        Upload::new(channel, header, file)
    }
}

fn check_content(is_given: bool) -> Result<()> {
    if is_given {
        let message = "an upload's file is the content of the document: leave out text, data and url";
        return Err(Error::new(ErrorKind::InvalidArgument, message));
    }
    Ok(())
}

/// The messages of an upload: the header, then the file.
struct Parts {
    header: Option<v1::UploadDocumentHeader>,
    file: Pin<Box<dyn AsyncRead + Send>>,
    buffer: Vec<u8>,
    sent: u64,
    progress: Progress,
    /// Receives why the file cannot be read; `None` once it did.
    failed: Option<oneshot::Sender<io::Error>>,
}

impl Stream for Parts {
    type Item = v1::UploadDocumentRequest;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        if let Some(header) = this.header.take() {
            return Poll::Ready(Some(v1::UploadDocumentRequest { part: Some(Part::Header(header)) }));
        }
        let mut read = ReadBuf::new(&mut this.buffer);
        match this.file.as_mut().poll_read(context, &mut read) {
            Poll::Pending => Poll::Pending,
            Poll::Ready(Ok(())) if read.filled().is_empty() => Poll::Ready(None),
            Poll::Ready(Ok(())) => {
                let data = read.filled().to_vec();
                this.sent += data.len() as u64;
                (this.progress)(this.sent);
                Poll::Ready(Some(v1::UploadDocumentRequest { part: Some(Part::Data(data)) }))
            }
            Poll::Ready(Err(error)) => {
                if let Some(failed) = this.failed.take() {
                    let _ = failed.send(error);
                }
                Poll::Pending
            }
        }
    }
}
