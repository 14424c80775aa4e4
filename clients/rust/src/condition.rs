//! Conditions of changes.

use crate::v1;
use crate::v1::precondition;

/// A condition of a change. If it is not met, nothing is changed.
///
/// One of a set or a removal is about the own entry of the agent or scope, not about an inherited one. One of
/// [`clear_if`](crate::WorkingMemory::clear_if), [`merge_if`](crate::Scope::merge_if),
/// [`close_if`](crate::Scope::close_if) and [`End`](crate::End) is about the agent, whose revision is that of its last
/// change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Condition {
    /// There is none. Otherwise the change fails with `RecordExists`.
    MustNotExist,
    /// There is one. Otherwise the change fails with `RecordNotFound`, or with `AgentNotFound` if it is about the agent.
    MustExist,
    /// It has this revision, where 0 means that there is none. Otherwise the change fails with `RevisionMismatch`.
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
