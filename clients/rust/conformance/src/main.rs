//! The program of this client for the conformance tests: see `tests/clients/conformance` of the repository.

mod drive;
mod scenario;

use std::process::ExitCode;

const USAGE: &str = "usage: conformance scenarios ADDRESS FILE... | conformance drive";

// Commands run one after the other: one thread is enough.
#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match words.as_slice() {
        ["scenarios", address, files @ ..] => scenario::play_all(address, files).await,
        ["drive"] => drive::drive().await.map(|()| true).map_err(Into::into),
        _ => Err(USAGE.into()),
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}
