//! Runs the commands of standard input with the client.

mod command;
mod driver;
mod failure;
mod measure;
mod watching;

use std::io;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, stdin, stdout};

use driver::Driver;

/// Runs the commands of standard input, and writes their replies to standard output.
pub async fn drive() -> io::Result<()> {
    let mut commands = BufReader::new(stdin()).lines();
    let mut replies = stdout();
    let mut driver = Driver::default();
    while let Some(line) = commands.next_line().await? {
        let reply = reply_to(&mut driver, &line).await;
        replies.write_all(format!("{reply}\n").as_bytes()).await?;
        replies.flush().await?;
    }
    Ok(())
}

async fn reply_to(driver: &mut Driver, line: &str) -> Value {
    let outcome = match serde_json::from_str(line) {
        Ok(command) => driver.perform(command).await,
        Err(error) => Err(format!("invalid command: {error}").into()),
    };
    match outcome {
        Ok(result) => json!({ "result": result }),
        Err(failure) => json!({ "error": failure.into_json() }),
    }
}
