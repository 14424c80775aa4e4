//! Does what commands on standard input say, by the wrapper.

mod answer;
mod command;
mod driver;
mod measure;
mod watching;

use std::io;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, stdin, stdout};

use driver::Driver;

/// Answers each line of standard input by a line on standard output.
pub async fn drive() -> io::Result<()> {
    let mut commands = BufReader::new(stdin()).lines();
    let mut answers = stdout();
    let mut driver = Driver::default();
    while let Some(line) = commands.next_line().await? {
        let answer = answer_to(&mut driver, &line).await;
        answers.write_all(format!("{answer}\n").as_bytes()).await?;
        answers.flush().await?;
    }
    Ok(())
}

async fn answer_to(driver: &mut Driver, line: &str) -> Value {
    let outcome = match serde_json::from_str(line) {
        Ok(command) => driver.perform(command).await,
        Err(error) => Err(format!("the command is not understood: {error}").into()),
    };
    match outcome {
        Ok(result) => json!({ "result": result }),
        Err(failure) => json!({ "error": failure.told() }),
    }
}
