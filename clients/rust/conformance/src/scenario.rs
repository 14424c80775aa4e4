//! Plays scenario files over the generated stubs, with the requests that the wrappers make where there are any.

mod compare;
mod message;
mod play;
mod step;
mod stub;
mod variable;
mod watching;
mod wrapped;
#[rustfmt::skip]
#[allow(unused_imports, clippy::all, clippy::pedantic, reason = "it is generated")]
mod wrappers;
mod yaml;

pub use stub::code_name;

use std::{error, fs};

use memoryd::Client;
use serde_json::json;

use play::Player;
use step::Scenario;

/// The result of a scenario, or the reason why it failed.
type Played<T> = Result<T, String>;

/// Plays the files in order and prints the verdict on each. Returns whether all passed.
pub async fn play_all(address: &str, files: &[&str]) -> Result<bool, Box<dyn error::Error>> {
    let client = Client::builder().target(address).connect()?;
    let mut all_passed = true;
    for file in files {
        match play_file(&client, file).await {
            Ok(()) => println!("{}", json!({"file": file, "passed": true})),
            Err(why) => {
                all_passed = false;
                println!("{}", json!({"file": file, "passed": false, "why": why}));
            }
        }
    }
    eprintln!("{} calls with the requests of wrappers", wrapped::calls());
    Ok(all_passed)
}

async fn play_file(client: &Client, file: &str) -> Played<()> {
    let text = fs::read_to_string(file).map_err(|error| format!("cannot be read: {error}"))?;
    let scenario: Scenario =
        serde_json::from_value(yaml::read(&text)?).map_err(|error| format!("is not a scenario: {error}"))?;
    Player::new(client.clone()).play(&scenario.steps).await
}
