//! A listing of records, page by page.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::vec;

use futures_core::Stream;
use futures_core::future::BoxFuture;

use crate::channel::Channel;
use crate::error::Result;
use crate::method::PagedRequest;

const PAGE_SIZE: i32 = 1_000;

/// The records of one page, and the token of the next one, which is empty after the last.
type Page<R> = (Vec<R>, String);

/// The records of a listing, all at one revision: a stream that reads them page by page.
///
/// An error is the last item; it is `PageTokenExpired` if the reader takes too long.
#[must_use = "nothing is requested until the stream is read"]
pub struct Records<R> {
    /// Requests the page with a token.
    fetch: Box<dyn Fn(String) -> BoxFuture<'static, Result<Page<R>>> + Send + Sync>,
    /// The token of the next page; `None` after the last.
    next_page_token: Option<String>,
    /// The call for the next page, if it is running.
    awaited: Option<BoxFuture<'static, Result<Page<R>>>>,
    page: vec::IntoIter<R>,
}

impl<R: Send + 'static> Records<R> {
    /// Returns the records of a request for the first page. If there is none, its error is the only item.
    pub(crate) fn new<Q: PagedRequest>(channel: Channel, request: Result<Q>, read: fn(Q::Response) -> Vec<R>) -> Self {
        let fetch = move |token| -> BoxFuture<'static, Result<Page<R>>> {
            let (channel, request) = (channel.clone(), request.clone());
            Box::pin(async move {
                let mut request = request?;
                let (page_size, page_token) = request.page_mut();
                (*page_size, *page_token) = (PAGE_SIZE, token);
                let mut response = channel.call(request).await?;
                let next_page_token = Q::next_page_token(&mut response);
                Ok((read(response), next_page_token))
            })
        };
        Self {
            fetch: Box::new(fetch),
            next_page_token: Some(String::new()),
            awaited: None,
            page: Vec::new().into_iter(),
        }
    }

    /// Returns the next record, or `None` after the last. Cancel safe: no record is lost.
    pub async fn next(&mut self) -> Option<Result<R>> {
        std::future::poll_fn(|context| Pin::new(&mut *self).poll_next(context)).await
    }

    /// Returns the records that are left.
    pub(crate) async fn all(mut self) -> Result<Vec<R>> {
        let mut all = Vec::new();
        while let Some(record) = self.next().await {
            all.push(record?);
        }
        Ok(all)
    }
}

impl<R> Unpin for Records<R> {}

impl<R> Stream for Records<R> {
    type Item = Result<R>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        loop {
            if let Some(record) = this.page.next() {
                return Poll::Ready(Some(Ok(record)));
            }
            let Some(token) = &this.next_page_token else {
                return Poll::Ready(None);
            };
            let awaited = this.awaited.get_or_insert_with(|| (this.fetch)(token.clone()));
            let answer = ready!(awaited.as_mut().poll(context));
            this.awaited = None;
            match answer {
                Ok((page, next_page_token)) => {
                    this.next_page_token = Some(next_page_token).filter(|token| !token.is_empty());
                    this.page = page.into_iter();
                }
                Err(error) => {
                    this.next_page_token = None;
                    return Poll::Ready(Some(Err(error)));
                }
            }
        }
    }
}

impl<R> fmt::Debug for Records<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Records").field("next_page_token", &self.next_page_token).finish_non_exhaustive()
    }
}
