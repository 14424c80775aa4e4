//! Conditions of changes.

use crate::v1;
use crate::v1::precondition;

/// A condition on the own entry of the agent or scope, not on an inherited one. If it is not met, nothing is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Condition {
    /// There is no entry. If there is one, the change fails with `RecordExists`.
    MustNotExist,
    /// There is an entry. If there is none, the change fails with `RecordNotFound`.
    MustExist,
    /// The entry has this revision, where 0 means that there is none. Otherwise the change fails with
    /// `RevisionMismatch`.
    ExpectedRevision(i64),
}

impl From<Condition> for v1::Precondition {
    fn from(condition: Condition) -> Self {
        let condition = match condition {
            Condition::MustNotExist => precondition::Condition::MustNotExist(true),
            Condition::MustExist => precondition::Condition::MustExist(true),
            Condition::ExpectedRevision(revision) => precondition::Condition::ExpectedRevision(revision),
        };
        Self { condition: Some(condition) }
    }
}
