//! A daemon of one test, which can be killed and started again.

use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::time::Duration;
use std::{env, fs};

use memoryd::{Client, ClientBuilder};

use crate::daemon::{fresh, skip, until};

/// A daemon with an embedded store. Dropping it kills it, and removes its data.
pub struct OwnDaemon {
    command: String,
    address: String,
    folder: PathBuf,
    process: Mutex<Option<Child>>,
}

impl OwnDaemon {
    /// Starts a daemon, by the command that `MEMORYD_TEST_COMMAND` names, else `memoryd`. Returns `None` with a message if
    /// there is none. In CI, there must be one.
    pub async fn start() -> Option<Self> {
        let command = env::var("MEMORYD_TEST_COMMAND").unwrap_or_else(|_| "memoryd".into());
        if Command::new(&command).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_err() {
            skip("there is no memoryd in PATH, and MEMORYD_TEST_COMMAND is not set");
            return None;
        }
        let folder = env::temp_dir().join(fresh("memoryd"));
        let daemon = Self { command, address: free_address(), folder, process: Mutex::new(None) };
        daemon.restart().await;
        Some(daemon)
    }

    /// Kills the daemon without any warning, and starts it again.
    pub async fn restart(&self) {
        self.kill();
        fs::create_dir_all(&self.folder).unwrap();
        let log = fs::File::options().create(true).append(true).open(self.folder.join("log")).unwrap();
        let process = Command::new(&self.command)
            .args(["serve", "--listen", &self.address, "--embedder", "none", "--data-dir"])
            .arg(self.data_dir())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .unwrap();
        *self.process.lock().unwrap() = Some(process);
        until("the daemon listens", async || TcpStream::connect(&self.address).is_ok()).await;
    }

    /// Kills the daemon without any warning.
    pub fn kill(&self) {
        if let Some(mut process) = self.process.lock().unwrap().take() {
            process.kill().unwrap();
            process.wait().unwrap();
        }
    }

    pub fn data_dir(&self) -> PathBuf {
        Path::new(&self.folder).join("data")
    }

    /// Returns the builder of a client of this daemon that waits for it patiently.
    pub fn client(&self) -> ClientBuilder {
        let patient = Duration::from_secs(60);
        Client::builder().target(&self.address).timeout(patient).connect_timeout(patient)
    }
}

impl Drop for OwnDaemon {
    fn drop(&mut self) {
        self.kill();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Returns an address at which nothing listens.
pub fn free_address() -> String {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string()
}
