//! The states of an agent that a writer changes at random, for readers to be judged by.

use std::collections::{BTreeMap, HashMap};
use std::sync::Mutex;
use std::time::{Duration, Instant, SystemTime};

use memoryd::{Agent, Client, ErrorKind, Merge, NewEntry, Result, v1};
use rand::rngs::StdRng;
use rand::seq::{IndexedRandom, SliceRandom};
use rand::{RngExt, SeedableRng};

pub const KEYS: [&str; 6] = ["k0", "k1", "k2", "k3", "k4", "k5"];
const SCOPES_MAX: usize = 3;
const SHORT_TTL: Duration = Duration::from_millis(20); // time: it is to pass

/// What a read returned: the number under a key, nothing, or that there is no such scope.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Seen {
    Number(i64),
    Nothing,
    NoScope,
}

/// When an entry expires. It is not known before the daemon has responded.
#[derive(Clone, Copy)]
enum Expiry {
    Never,
    Unknown,
    At(SystemTime),
}

#[derive(Clone, Copy)]
struct Written {
    number: i64,
    expiry: Expiry,
}

impl Written {
    fn for_good(number: i64) -> Self {
        Self { number, expiry: Expiry::Never }
    }

    fn may_be_alive(self, begin: SystemTime) -> bool {
        !matches!(self.expiry, Expiry::At(time) if time <= begin)
    }

    fn may_be_gone(self, end: SystemTime) -> bool {
        match self.expiry {
            Expiry::Never => false,
            Expiry::Unknown => true,
            Expiry::At(time) => time <= end,
        }
    }
}

/// An agent between two changes.
#[derive(Clone)]
struct State {
    values: BTreeMap<String, HashMap<&'static str, Written>>,
    parents: BTreeMap<String, String>,
    /// When the change to it was acknowledged; `None` if it is not yet.
    acked_at: Option<Instant>,
}

impl State {
    fn new() -> Self {
        let values = BTreeMap::from([(String::new(), HashMap::new())]);
        Self { values, parents: BTreeMap::new(), acked_at: None }
    }

    fn scope(&mut self, scope_id: &str) -> &mut HashMap<&'static str, Written> {
        self.values.get_mut(scope_id).expect("the writer knows its scopes")
    }

    fn remove_scope(&mut self, scope_id: &str) -> HashMap<&'static str, Written> {
        self.parents.remove(scope_id);
        self.values.remove(scope_id).expect("the writer knows its scopes")
    }

    /// Returns whether a look-up between two times may return what was seen.
    fn may_read(&self, seen: Seen, scope_id: &str, key: &str, begin: SystemTime, end: SystemTime) -> bool {
        let mut scope_id = scope_id;
        loop {
            let Some(values) = self.values.get(scope_id) else {
                return seen == Seen::NoScope;
            };
            if let Some(found) = values.get(key).filter(|found| found.may_be_alive(begin)) {
                if seen == Seen::Number(found.number) {
                    return true;
                }
                if !found.may_be_gone(end) {
                    return false;
                }
            }
            if scope_id.is_empty() {
                return seen == Seen::Nothing;
            }
            scope_id = &self.parents[scope_id];
        }
    }
}

/// The states of an agent, oldest first. The last may be one that is not acknowledged yet.
pub struct History(Mutex<Vec<State>>);

impl History {
    pub fn new() -> Self {
        Self(Mutex::new(vec![State::new()]))
    }

    /// Returns the newest state that was acknowledged before a time.
    pub fn floor(&self, before: Instant) -> usize {
        let states = self.0.lock().unwrap();
        states.iter().rposition(|state| state.acked_at.is_some_and(|acked_at| acked_at < before)).unwrap_or(0)
    }

    /// Returns whether one state from floor on explains all that was read.
    pub fn explains(
        &self,
        floor: usize,
        scope_id: &str,
        seen: &HashMap<&str, Seen>,
        begin: SystemTime,
        end: SystemTime,
    ) -> bool {
        let states = self.0.lock().unwrap();
        states[floor..]
            .iter()
            .any(|state| seen.iter().all(|(key, &seen)| state.may_read(seen, scope_id, key, begin, end)))
    }

    pub fn scopes(&self) -> Vec<String> {
        self.last(|state| state.values.keys().cloned().collect())
    }

    /// Returns the scopes without scopes below them.
    fn leaves(&self) -> Vec<String> {
        self.last(|state| {
            let is_leaf = |scope_id: &&String| !state.parents.values().any(|parent_id| parent_id == *scope_id);
            state.parents.keys().filter(is_leaf).cloned().collect()
        })
    }

    fn last<T>(&self, read: impl FnOnce(&mut State) -> T) -> T {
        read(self.0.lock().unwrap().last_mut().expect("there is one from the start"))
    }

    /// Announces the state that a change makes.
    fn announce(&self, alter: impl FnOnce(&mut State)) {
        let mut state = State { acked_at: None, ..self.last(|state| state.clone()) };
        alter(&mut state);
        self.0.lock().unwrap().push(state);
    }

    fn acknowledge(&self) {
        self.last(|state| state.acked_at = Some(Instant::now()));
    }
}

/// Changes an agent at random, and writes down each state before and after it is acknowledged.
pub struct Writer<'a> {
    history: &'a History,
    client: Client,
    agent: Agent,
    chance: StdRng,
    last_number: i64,
    saved: Option<(State, String)>,
}

impl<'a> Writer<'a> {
    pub fn new(history: &'a History, client: Client, agent_id: &str, seed: u64) -> Self {
        let (agent, chance) = (client.agent(agent_id), StdRng::seed_from_u64(seed));
        Self { history, client, agent, chance, last_number: 0, saved: None }
    }

    /// Makes one change, or none if what was drawn is not possible.
    pub async fn change(&mut self) -> Result<()> {
        if self.chance.random_bool(0.75) {
            return match self.chance.random_range(0..8) {
                0..3 => self.set().await,
                3 => self.set_for_a_while().await,
                4 => self.remove().await,
                5 => self.batch().await,
                6 => self.transact().await,
                _ => self.open_scope().await,
            };
        }
        match self.chance.random_range(0..6) {
            0 => self.merge().await,
            1 => self.dispose().await,
            2 => self.clear().await,
            3 => self.save().await,
            4 => self.restore().await,
            _ => self.end().await,
        }
    }

    async fn make<T>(&self, alter: impl FnOnce(&mut State), change: impl Future<Output = Result<T>>) -> Result<T> {
        self.history.announce(alter);
        let changed = change.await?;
        self.history.acknowledge();
        Ok(changed)
    }

    fn any_scope(&mut self) -> String {
        self.history.scopes().choose(&mut self.chance).expect("there is the root").clone()
    }

    fn any_key(&mut self) -> &'static str {
        KEYS[self.chance.random_range(0..KEYS.len())]
    }

    fn number(&mut self) -> i64 {
        self.last_number += 1;
        self.last_number
    }

    async fn set(&mut self) -> Result<()> {
        let (scope_id, key, number) = (self.any_scope(), self.any_key(), self.number());
        let alter = |state: &mut State| state.scope(&scope_id).extend([(key, Written::for_good(number))]);
        self.make(alter, self.agent.attach(&scope_id).set(key, &number)).await.map(drop)
    }

    /// Sets an entry in the root only: whether a merge still finds such an entry is known to the daemon alone.
    async fn set_for_a_while(&mut self) -> Result<()> {
        let (key, number) = (self.any_key(), self.number());
        let written = |expiry| move |state: &mut State| state.scope("").extend([(key, Written { number, expiry })]);
        let stored = self.make(written(Expiry::Unknown), self.agent.set(key, NewEntry::new(&number).ttl(SHORT_TTL)));
        let expire_time = stored.await?.entry.and_then(|entry| entry.expire_time).expect("it expires");
        self.history.last(written(Expiry::At(expire_time.try_into().expect("it is a time"))));
        Ok(())
    }

    async fn remove(&mut self) -> Result<()> {
        let (scope_id, key) = (self.any_scope(), self.any_key());
        let alter = |state: &mut State| state.scope(&scope_id).retain(|each, _| *each != key);
        self.make(alter, self.agent.attach(&scope_id).remove(key)).await.map(drop)
    }

    fn some_numbers(&mut self) -> HashMap<&'static str, Written> {
        let mut keys = KEYS;
        keys.shuffle(&mut self.chance);
        keys[..3].iter().map(|&key| (key, Written::for_good(self.number()))).collect()
    }

    async fn batch(&mut self) -> Result<()> {
        let (scope_id, numbers) = (self.any_scope(), self.some_numbers());
        let empty = self.agent.attach(&scope_id).batch();
        let batch = numbers.iter().fold(empty, |batch, (key, written)| batch.set(key, &written.number));
        self.make(|state| state.scope(&scope_id).extend(&numbers), batch.send()).await.map(drop)
    }

    /// Sets entries of the root and of a scope in one commit.
    async fn transact(&mut self) -> Result<()> {
        let (scope_id, key, numbers) = (self.any_scope(), self.any_key(), self.some_numbers());
        let in_root = Written::for_good(self.number());
        let mut tx = self.agent.transaction();
        tx.set(key, &in_root.number);
        for (key, written) in &numbers {
            tx.attach(&scope_id).set(key, &written.number);
        }
        let alter = |state: &mut State| {
            state.scope("").insert(key, in_root);
            state.scope(&scope_id).extend(&numbers);
        };
        self.make(alter, tx.commit()).await.map(drop)
    }

    async fn open_scope(&mut self) -> Result<()> {
        if self.history.scopes().len() > SCOPES_MAX {
            return Ok(());
        }
        // Nobody reads in a scope whose id is not known yet.
        let parent_id = self.any_scope();
        let scope_id = self.agent.attach(&parent_id).scope("s").await?.keep().scope_id().to_owned();
        let alter = |state: &mut State| {
            state.values.insert(scope_id.clone(), HashMap::new());
            state.parents.insert(scope_id, parent_id);
        };
        self.make(alter, async { Ok(()) }).await
    }

    fn any_leaf(&mut self) -> Option<String> {
        self.history.leaves().choose(&mut self.chance).cloned()
    }

    async fn merge(&mut self) -> Result<()> {
        let Some(scope_id) = self.any_leaf() else { return Ok(()) };
        let mut tx = self.agent.transaction();
        tx.attach(&scope_id).merge(Merge::Overwrite);
        let alter = |state: &mut State| {
            let parent_id = state.parents[&scope_id].clone();
            let values = state.remove_scope(&scope_id);
            state.scope(&parent_id).extend(values);
        };
        self.make(alter, tx.commit()).await.map(drop)
    }

    async fn dispose(&mut self) -> Result<()> {
        let Some(scope_id) = self.any_leaf() else { return Ok(()) };
        let request = v1::DisposeScopeRequest {
            agent_id: self.agent.agent_id().to_owned(),
            scope_id: scope_id.clone(),
            ..Default::default()
        };
        self.make(|state| drop(state.remove_scope(&scope_id)), self.client.call(request)).await.map(drop)
    }

    async fn clear(&mut self) -> Result<()> {
        let scope_id = self.any_scope();
        self.make(|state| state.scope(&scope_id).clear(), self.agent.attach(&scope_id).clear()).await.map(drop)
    }

    async fn save(&mut self) -> Result<()> {
        let agent_id = self.agent.agent_id().to_owned();
        let request = v1::CreateSnapshotRequest { agent_id, ..Default::default() };
        match self.client.call(request).await {
            Err(error) if error.kind() == ErrorKind::AgentNotFound => {}
            saved => {
                let snapshot_id = saved?.snapshot.unwrap_or_default().snapshot_id;
                self.saved = Some((self.history.last(|state| state.clone()), snapshot_id));
            }
        }
        Ok(())
    }

    async fn restore(&mut self) -> Result<()> {
        let Some((saved, snapshot_id)) = self.saved.clone() else { return Ok(()) };
        let agent_id = self.agent.agent_id().to_owned();
        let request = v1::RestoreSnapshotRequest { agent_id, snapshot_id, ..Default::default() };
        let alter = |state: &mut State| *state = State { acked_at: None, ..saved };
        self.make(alter, self.client.call(request)).await.map(drop)
    }

    async fn end(&mut self) -> Result<()> {
        if self.chance.random_bool(0.5) {
            return Ok(());
        }
        self.make(|state| *state = State::new(), self.agent.end()).await.map(drop)
    }
}
