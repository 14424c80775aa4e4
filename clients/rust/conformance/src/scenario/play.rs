//! Plays the steps of a scenario.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::Arc;

use memoryd::Client;
use serde_json::Value;
use tokio::task::JoinSet;
use tonic::Status;

use super::Played;
use super::compare::compare;
use super::step::{Call, Events, Repeat, Step, Tasks, Watch};
use super::stub::{self, error_of};
use super::variable::Variables;
use super::watching::Watching;

/// Plays steps. It holds their saved values and their watches.
pub struct Player {
    client: Client,
    variables: Variables,
    watches: HashMap<String, Watching>,
}

impl Player {
    /// Returns a player with agents of its own.
    pub fn new(client: Client) -> Self {
        let mut variables = Variables::default();
        for name in ["agent", "other"] {
            variables.set(name, format!("{name}-{:032x}", rand::random::<u128>()));
        }
        Self { client, variables, watches: HashMap::new() }
    }

    /// Plays the steps in order. The error contains the number of the first step that failed.
    pub async fn play(&mut self, steps: &[Step]) -> Played<()> {
        for (index, step) in steps.iter().enumerate() {
            let (what, outcome) = match step {
                Step::Call(call) => (format!("call {}", call.method), self.call(call).await),
                Step::Watch(watch) => (format!("watch {}", watch.name), self.watch(watch).await),
                Step::Events(events) => (format!("events {}", events.watch), self.events(events).await),
                Step::Repeat(repeat) => ("repeat".to_owned(), self.repeat(repeat).await),
                Step::Tasks(tasks) => ("tasks".to_owned(), self.tasks(tasks).await),
            };
            outcome.map_err(|why| format!("step {}, {what}: {why}", index + 1))?;
        }
        Ok(())
    }

    /// Plays the steps of a step. Boxed, because a future cannot contain another of its own type.
    fn play_inside<'a>(&'a mut self, steps: &'a [Step]) -> Pin<Box<dyn Future<Output = Played<()>> + Send + 'a>> {
        Box::pin(self.play(steps))
    }

    async fn call(&mut self, step: &Call) -> Played<()> {
        let request = self.variables.fill(&step.request)?;
        let answer = stub::call(&self.client, &step.method, &request).await?;
        let Some(response) = self.expected_or_error(answer, step.error.as_ref())? else { return Ok(()) };
        if let Some(expected) = &step.response {
            compare(&self.variables.fill_expected(expected)?, &response)?;
        }
        for (name, path) in &step.save {
            self.variables.set(name, text_at(&response, path)?);
        }
        Ok(())
    }

    async fn watch(&mut self, step: &Watch) -> Played<()> {
        let request = self.variables.fill(&step.request)?;
        let answer = Watching::open(self.client.transport(), &request).await?;
        if let Some(watching) = self.expected_or_error(answer, step.error.as_ref())? {
            self.watches.insert(step.name.clone(), watching);
        }
        Ok(())
    }

    async fn events(&mut self, step: &Events) -> Played<()> {
        let watching = self.watches.get_mut(&step.watch).ok_or_else(|| "there is no such watch".to_owned())?;
        let expected = step.expect.iter().map(|event| self.variables.fill_expected(event)).collect::<Played<_>>()?;
        let events = watching.next_events(step.expect.len()).await?;
        compare(&expected, &Value::Array(events))
    }

    async fn repeat(&mut self, step: &Repeat) -> Played<()> {
        for turn in 0..step.times {
            self.variables.set("n", turn.to_string());
            self.play_inside(&step.steps).await.map_err(|why| format!("n {turn}: {why}"))?;
        }
        Ok(())
    }

    async fn tasks(&mut self, step: &Tasks) -> Played<()> {
        let mut players = JoinSet::new();
        let steps = Arc::clone(&step.steps);
        for number in 0..step.count {
            let (mut variables, steps) = (self.variables.clone(), Arc::clone(&steps));
            variables.set("task", number.to_string());
            let mut player = Self { client: self.client.clone(), variables, watches: HashMap::new() };
            players
                .spawn(async move { player.play_inside(&steps).await.map_err(|why| format!("task {number}: {why}")) });
        }
        players.join_all().await.into_iter().collect()
    }

    /// Returns the response, or `None` if the call failed with the expected error.
    fn expected_or_error<T>(&self, answer: Result<T, Status>, expected: Option<&Value>) -> Played<Option<T>> {
        match (answer, expected) {
            (Ok(response), None) => Ok(Some(response)),
            (Ok(_), Some(expected)) => Err(format!("expected the error {expected}, got a response")),
            (Err(status), None) => Err(format!("expected no error, got {}", error_of(&status))),
            (Err(status), Some(expected)) => {
                compare(&self.variables.fill_expected(expected)?, &error_of(&status)).map(|()| None)
            }
        }
    }
}

/// Returns the part of a response at a path such as `scopes.0.scope_id`, as a string.
fn text_at(response: &Value, path: &str) -> Played<String> {
    let mut found = response;
    for part in path.split('.') {
        let next = match found {
            Value::Array(items) => part.parse().ok().and_then(|index: usize| items.get(index)),
            other => other.get(part),
        };
        found = next.ok_or_else(|| format!("the response has no {path}"))?;
    }
    match found {
        Value::String(text) => Ok(text.clone()),
        Value::Number(_) | Value::Bool(_) => Ok(found.to_string()),
        _ => Err(format!("{path} in the response is not one value")),
    }
}
