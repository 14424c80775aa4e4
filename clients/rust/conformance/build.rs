//! Generates from the protos the dispatch from a method's name to its stub, so that a new method needs no code here.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, error, fs};

use prost::Message as _;
use prost_types::{FileDescriptorSet, ServiceDescriptorProto};

const PROTOS: &str = "../../../protos";
const GOOGLEAPIS: &str = "../../../third_party/googleapis";
const FOLDER: &str = "memoryd/v1";

fn main() -> Result<(), Box<dyn error::Error>> {
    println!("cargo::rerun-if-changed={PROTOS}");
    println!("cargo::rerun-if-changed={GOOGLEAPIS}");
    let descriptors = protox::compile(proto_files()?, [PROTOS, GOOGLEAPIS])?;
    let out_dir = PathBuf::from(env::var("OUT_DIR")?);
    fs::write(out_dir.join("descriptors.bin"), descriptors.encode_to_vec())?;
    fs::write(out_dir.join("dispatch.rs"), dispatch(&descriptors))?;
    Ok(())
}

fn proto_files() -> Result<Vec<PathBuf>, Box<dyn error::Error>> {
    let files = fs::read_dir(Path::new(PROTOS).join(FOLDER))?.map(|found| Ok(found?.path()));
    files.filter(|path| path.as_ref().is_ok_and(|path| path.extension().is_some_and(|end| end == "proto"))).collect()
}

/// Writes the arms of a `match` over names such as `AgentService.GetAgent`.
fn dispatch(descriptors: &FileDescriptorSet) -> String {
    let services = descriptors.file.iter().flat_map(|file| &file.service);
    let arms: String = services.map(arms).collect();
    format!(
        "#[allow(clippy::too_many_lines, reason = \"it has an arm for each method\")]
        pub async fn dispatch(transport: Transport, method: &str, request: &[u8]) -> Option<Result<Vec<u8>, Status>> {{
            Some(match method {{ {arms} _ => return None }})
        }}"
    )
}

fn arms(service: &ServiceDescriptorProto) -> String {
    let mut code = String::new();
    for method in &service.method {
        if method.client_streaming() || method.server_streaming() {
            continue;
        }
        let (service, method) = (service.name(), method.name());
        let module = format!("v1::{}_client::{service}Client", snake_case(service));
        writeln!(
            code,
            "\"{service}.{method}\" => {{
                let mut stub = {module}::new(transport);
                unary(request, async |request| stub.{}(request).await).await
            }}",
            snake_case(method),
        )
        .expect("a String takes all");
    }
    code
}

fn snake_case(camel_case: &str) -> String {
    let mut name = String::new();
    for (index, letter) in camel_case.char_indices() {
        if letter.is_uppercase() && index > 0 {
            name.push('_');
        }
        name.extend(letter.to_lowercase());
    }
    name
}
