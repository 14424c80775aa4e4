//! The parts of requests that callers put together, such as drafts, sources of a context and filters.

use std::mem::discriminant;

use prost_types::FieldMask;

use crate::error::{Error, ErrorKind, Result};

/// A part of a request, such as a draft or a filter: the message `M` of the contract. [`kinds`](crate::kinds) names
/// each part, and a message itself converts to one.
///
/// ```no_run
/// # async fn example(agent: memoryd::Agent) -> memoryd::Result<()> {
/// use memoryd::kinds::MessageDraft;
/// use memoryd::v1::MessageRole;
///
/// let question = MessageDraft::new(MessageRole::User).content("Where is she?").importance(0.8);
/// agent.conversations().append("talk-1", [question]).await?;
/// # Ok(())
/// # }
/// ```
///
/// What cannot be sent, such as metadata that JSON cannot represent, is an error of the call that takes the part.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct Input<M> {
    pub(crate) message: M,
    pub(crate) failure: Failure,
}

impl<M> Input<M> {
    pub(crate) fn into_message(self) -> Result<M> {
        self.failure.or(self.message)
    }
}

impl<M> From<M> for Input<M> {
    fn from(message: M) -> Self {
        Self { message, failure: Failure::default() }
    }
}

/// The first error of what a caller gives, which the call fails with.
#[derive(Clone, Debug, Default)]
pub(crate) struct Failure(Option<Error>);

impl Failure {
    /// Returns what was converted, or keeps the error.
    pub(crate) fn keep<T>(&mut self, converted: Result<T>) -> Option<T> {
        match converted {
            Ok(value) => Some(value),
            Err(error) => {
                self.0.get_or_insert(error);
                None
            }
        }
    }

    /// Returns the value, unless there is an error.
    pub(crate) fn or<T>(self, value: T) -> Result<T> {
        self.0.map_or(Ok(value), Err)
    }
}

pub(crate) fn texts(given: impl IntoIterator<Item = impl Into<String>>) -> Vec<String> {
    given.into_iter().map(Into::into).collect()
}

pub(crate) fn messages<M>(given: impl IntoIterator<Item = impl Into<Input<M>>>) -> Result<Vec<M>> {
    given.into_iter().map(|each| each.into().into_message()).collect()
}

/// Sets one of several alternatives, or removes what is set. Fails if another one is set already.
pub(crate) fn choose<T>(present: &mut Option<T>, chosen: Option<T>, names: &str) -> Result<()> {
    if let (Some(present), Some(chosen)) = (&present, &chosen)
        && discriminant(present) != discriminant(chosen)
    {
        return Err(Error::new(ErrorKind::InvalidArgument, format!("only one of {names} may be set")));
    }
    *present = chosen;
    Ok(())
}

/// Names a field that an update changes.
pub(crate) fn mask(update_mask: &mut Option<FieldMask>, path: &str) {
    let paths = &mut update_mask.get_or_insert_default().paths;
    if !paths.iter().any(|each| each == path) {
        paths.push(path.to_owned());
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use prost::Message;

    use super::*;
    use crate::call::tests::hex;
    use crate::error::ErrorKind;
    use crate::kinds::MessageDraft;
    use crate::v1::{self, MessageRole};

    /// Asserts that a part is this message.
    #[track_caller]
    pub(crate) fn is<M: Message>(input: Input<M>, expected: &str) {
        assert_eq!(hex(&input.into_message().unwrap()), expected);
    }

    #[test]
    fn a_message_is_a_part_as_it_is() {
        let draft = v1::MessageDraft { content: "Hello".into(), ..Default::default() };
        assert_eq!(messages([draft.clone()]).unwrap(), [draft]);
    }

    #[test]
    fn the_first_error_remains() {
        let draft = MessageDraft::new(MessageRole::User).metadata(&1).metadata(&f64::NAN).metadata(&[("k", 1)]);
        let error = messages::<v1::MessageDraft>([draft]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::UnsupportedValue);
        assert!(error.message().contains("not an object"), "{error}");
    }
}
