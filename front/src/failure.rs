//! The end of the process when the front end has a defect: one line, then the abort that the build asks for.

use std::io::Write;
use std::panic::{PanicHookInfo, set_hook};

/// Let a panic write one line to standard error. The process ends after it: see `panic` in `Cargo.toml`.
pub fn report() {
    set_hook(Box::new(|panic| {
        // Nobody reads it if it cannot be written.
        let _ = std::io::stderr().write_all(line(panic).as_bytes());
    }));
}

fn line(panic: &PanicHookInfo<'_>) -> String {
    let place = panic
        .location()
        .map_or_else(String::new, |place| format!(" at {}:{}", place.file(), place.line()));
    let payload = panic.payload();
    let text = payload.downcast_ref::<&str>().copied();
    let message = text
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("unknown");
    let message = message.split_whitespace().collect::<Vec<_>>().join(" ");
    format!(
        "memoryd: the front end failed{place}: {message}; the daemon ends; start it again: nothing acknowledged is lost\n"
    )
}
