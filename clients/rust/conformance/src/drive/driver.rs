//! Runs the commands.

use std::collections::HashMap;

use memoryd::{Agent, Client, ErrorKind, NewEntry, Tls};
use serde_json::{Value, json};
use tokio::time::sleep;

use super::command::{Command, Connect, GetOrSet, Key, KeyValue, Update, Watch};
use super::failure::Failure;
use super::measure::measure;
use super::watching::Watching;

/// The client that commands use, and their open watches.
#[derive(Default)]
pub struct Driver {
    client: Option<Client>,
    target: String,
    watches: HashMap<String, Watching>,
}

impl Driver {
    pub async fn perform(&mut self, command: Command) -> Result<Value, Failure> {
        match command {
            Command::Connect(connect) => self.connect(connect),
            Command::Set(set) => self.set(&set, NewEntry::json(&set.value_json)).await,
            Command::SetNative(set) => {
                let value: Value = serde_json::from_str(&set.value_json)?;
                self.set(&set, NewEntry::new(&value)).await
            }
            Command::Get(get) => self.get(&get).await,
            Command::GetNative(get) => self.get_native(&get).await,
            Command::Update(update) => self.update(&update).await,
            Command::GetOrSet(get_or_set) => self.get_or_set(get_or_set).await,
            Command::Watch(watch) => self.watch(watch).await,
            Command::Watched(watched) => {
                let timeout = watched.timeout.unwrap_or_default();
                self.watching(&watched.name)?.wait_for(watched.count, timeout).await
            }
            Command::Unwatch(unwatch) => {
                self.watching(&unwatch.name)?;
                self.watches.remove(&unwatch.name);
                Ok(json!({}))
            }
            Command::Measure(ordered) => {
                if ordered.batching {
                    let client = Client::builder().target(&self.target).batching().connect()?;
                    return measure(&client.agent(&ordered.agent), &ordered).await;
                }
                let agent = self.agent(&ordered.agent)?;
                measure(&agent, &ordered).await
            }
        }
    }

    fn connect(&mut self, connect: Connect) -> Result<Value, Failure> {
        self.watches.clear();
        self.client = None;
        self.target.clone_from(&connect.target);
        let mut builder = Client::builder().target(connect.target);
        if let Some(token) = connect.token {
            builder = builder.token(token);
        }
        if let Some(origin) = connect.origin {
            builder = builder.origin(origin);
        }
        if let Some(timeout) = connect.timeout {
            builder = builder.timeout(timeout);
        }
        if let Some(timeout) = connect.connect_timeout {
            builder = builder.connect_timeout(timeout);
        }
        if let Some(ca_file) = connect.ca_file {
            builder = builder.tls(Tls::new().ca_file(ca_file));
        }
        self.client = Some(builder.connect()?);
        Ok(json!({}))
    }

    async fn set(&self, set: &KeyValue, entry: NewEntry) -> Result<Value, Failure> {
        let stored = self.agent(&set.agent)?.set(&set.key, entry).await?;
        Ok(json!({"revision": stored.revision}))
    }

    async fn get(&self, get: &Key) -> Result<Value, Failure> {
        let entry = self.agent(&get.agent)?.get_entry(&get.key).await?;
        Ok(json!({"found": entry.is_some(), "value_json": entry.map(|entry| entry.value_json).unwrap_or_default()}))
    }

    async fn get_native(&self, get: &Key) -> Result<Value, Failure> {
        // None means that there is no entry; the value of an entry may be null.
        let value: Option<Value> = self.agent(&get.agent)?.get(&get.key).await?;
        Ok(json!({"found": value.is_some(), "value_json": value.map(|value| value.to_string()).unwrap_or_default()}))
    }

    async fn update(&self, update: &Update) -> Result<Value, Failure> {
        let agent = self.agent(&update.agent)?;
        let mut last = None;
        for _ in 0..update.count {
            last = Some(if update.transaction {
                increment(&agent, &update.key).await?
            } else {
                agent.update(&update.key, |count: Option<i64>| count.unwrap_or(0) + 1).await?
            });
        }
        Ok(json!({"last": last}))
    }

    async fn get_or_set(&self, command: GetOrSet) -> Result<Value, Failure> {
        let agent = self.agent(&command.agent)?;
        let mut options = memoryd::GetOrSet::new();
        if let Some(lease) = command.lease {
            options = options.lease(lease);
        }
        if let Some(wait) = command.wait {
            options = options.wait(wait);
        }
        let mut made = false;
        let factory = async || {
            made = true;
            sleep(command.factory_takes.unwrap_or_default()).await;
            if command.fail {
                return Err(Failure::Other("the factory fails as requested".to_owned()));
            }
            Ok(serde_json::from_str::<Value>(&command.value_json)?)
        };
        let value = agent.get_or_set_with(&command.key, options, factory).await?;
        Ok(json!({"value_json": value.to_string(), "made": made}))
    }

    async fn watch(&mut self, watch: Watch) -> Result<Value, Failure> {
        let mut builder = self.agent(&watch.agent)?.watch();
        if let Some(prefix) = watch.key_prefix {
            builder = builder.key_prefix(prefix);
        }
        if watch.initial_state {
            builder = builder.initial_state();
        }
        if let Some(outage_max) = watch.outage_max {
            builder = builder.outage_max(outage_max);
        }
        if let Some(token) = watch.resume_token {
            builder = builder.resume_token(token);
        }
        self.watches.insert(watch.name, Watching::listen(builder.await?));
        Ok(json!({}))
    }

    fn agent(&self, agent_id: &str) -> Result<Agent, Failure> {
        let client = self.client.as_ref().ok_or_else(|| "connect first".to_owned())?;
        Ok(client.agent(agent_id))
    }

    fn watching(&self, name: &str) -> Result<&Watching, Failure> {
        Ok(self.watches.get(name).ok_or_else(|| format!("there is no watch {name:?}"))?)
    }
}

/// Adds 1 to the integer under the key, by a transaction on what was read.
async fn increment(agent: &Agent, key: &str) -> Result<i64, Failure> {
    loop {
        let entry = agent.get_entry(key).await?;
        let (count, revision) = match entry {
            Some(entry) => (entry.value::<i64>()?, entry.revision),
            None => (0, 0),
        };
        let mut transaction = agent.transaction();
        transaction.set(key, NewEntry::new(&(count + 1)).expected_revision(revision));
        match transaction.commit().await {
            Ok(_) => return Ok(count + 1),
            Err(error) if error.kind() == ErrorKind::RevisionMismatch => {}
            Err(error) => return Err(error.into()),
        }
    }
}
