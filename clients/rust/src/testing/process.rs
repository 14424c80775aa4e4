//! The process of a daemon.

use std::ffi::{OsStr, OsString};
use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::thread::{self, JoinHandle};
use std::time::Duration;
use std::{env, fs};

use serde::Deserialize;
use tokio::sync::oneshot;
use tokio::time::timeout;

const COMMAND_VARIABLE: &str = "MEMORYD_TEST_COMMAND";
const START_MAX: Duration = Duration::from_secs(60);

/// A daemon that keeps nothing. Dropping it kills the process, and prints its log if the thread panics.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    folder: PathBuf,
    /// Reads the log to its end: a daemon whose pipe is full would stop.
    reader: Option<JoinHandle<String>>,
}

impl Process {
    /// Starts a daemon with further flags. Returns the process and its address, or why it does not start.
    pub(super) async fn start(flags: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Result<(Self, String), String> {
        let command = command();
        let folder = env::temp_dir().join(format!("memoryd-{:032x}", rand::random::<u128>()));
        let settings = env::vars_os().map(|(name, _)| name).filter(|name| is_setting(name));
        let mut starting = Command::new(&command);
        starting
            .args(["serve", "--listen", "127.0.0.1:0", "--durability", "memory"])
            .args(["--log-level", "info", "--log-format", "json", "--data-dir"])
            .arg(folder.join("data"))
            .args(flags)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        for name in settings {
            starting.env_remove(name);
        }
        let mut child = starting.spawn().map_err(|error| {
            let command = command.display();
            format!("{command} cannot be run: {error}: install memoryd-server, or set {COMMAND_VARIABLE}")
        })?;
        let log = child.stderr.take().expect("it is piped");
        let (serving, served) = oneshot::channel();
        let reader = Some(thread::spawn(move || read(log, serving)));
        let mut process = Self { child, folder, reader };
        match timeout(START_MAX, served).await {
            Ok(Ok(address)) => Ok((process, address)),
            Ok(Err(_)) => Err(format!("the daemon ended:\n{}", process.end())),
            Err(_) => Err(format!("the daemon did not start in time:\n{}", process.end())),
        }
    }

    /// Ends the process, and returns its log.
    fn end(&mut self) -> String {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = fs::remove_dir_all(&self.folder);
        self.reader.take().and_then(|reader| reader.join().ok()).unwrap_or_default()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let log = self.end();
        if thread::panicking() {
            eprintln!("the daemon logged:\n{log}");
        }
    }
}

fn command() -> OsString {
    env::var_os(COMMAND_VARIABLE).filter(|command| !command.is_empty()).unwrap_or_else(|| "memoryd".into())
}

fn is_setting(name: &OsStr) -> bool {
    name.to_string_lossy().starts_with("MEMORYD_")
}

/// Reads a log to its end, and returns it. Sends the address that the daemon serves.
fn read(log: ChildStderr, serving: oneshot::Sender<String>) -> String {
    let (mut written, mut serving) = (String::new(), Some(serving));
    for line in BufReader::new(log).lines().map_while(Result::ok) {
        if let Some((serving, address)) = address_in(&line).and_then(|address| Some((serving.take()?, address))) {
            let _ = serving.send(address);
        }
        written += &line;
        written.push('\n');
    }
    written
}

/// Returns the address that the daemon serves if a line of its log says so.
fn address_in(line: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Record {
        message: String,
        listen: Option<String>,
    }
    let record: Record = serde_json::from_str(line).ok()?;
    record.listen.filter(|_| record.message == "serving")
}

/// Returns whether there is a command to start.
#[cfg(test)]
pub(super) fn is_installed() -> bool {
    Command::new(command()).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}
