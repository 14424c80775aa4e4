//! Generates the messages and stubs of the protos, and an implementation of `UnaryRequest` for each unary method,
//! and of `WriteRequest` for each that can be a write of a transaction.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, error, fs};

use prost_types::method_options::IdempotencyLevel;
use prost_types::{FileDescriptorProto, FileDescriptorSet, MethodDescriptorProto};

const PACKAGE: &str = "memoryd.v1";

fn main() -> Result<(), Box<dyn error::Error>> {
    // A published crate contains the protos. Otherwise they are at the root of the repository.
    let root = Path::new(if Path::new("protos").is_dir() { "." } else { "../.." });
    let protos = root.join("protos");
    let googleapis = root.join("third_party/googleapis");
    println!("cargo::rerun-if-changed={}", protos.display());
    println!("cargo::rerun-if-changed={}", googleapis.display());
    let mut descriptors = protox::compile(proto_files(&protos)?, [&protos, &googleapis])?;
    let out_dir = PathBuf::from(env::var("OUT_DIR")?);
    fs::write(out_dir.join("method.rs"), method_impls(&descriptors) + &write_impls(&descriptors))?;
    // What the options of methods and fields are made of: prost has no options in its code.
    descriptors.file.retain(|file| file.package() != "google.api");
    tonic_prost_build::configure().build_server(false).compile_fds(descriptors)?;
    Ok(())
}

fn proto_files(protos: &Path) -> Result<Vec<PathBuf>, Box<dyn error::Error>> {
    let mut files = Vec::new();
    for found in fs::read_dir(protos.join(PACKAGE.replace('.', "/")))? {
        let path = found?.path();
        if path.extension().is_some_and(|extension| extension == "proto") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn method_impls(descriptors: &FileDescriptorSet) -> String {
    let mut code = String::new();
    for file in descriptors.file.iter().filter(|file| file.package() == PACKAGE) {
        for service in &file.service {
            let unary = service.method.iter().filter(|method| !method.client_streaming() && !method.server_streaming());
            for method in unary {
                let path = format!("/{PACKAGE}.{}/{}", service.name(), method.name());
                write_method(&mut code, file, method, &path);
            }
        }
    }
    code
}

fn write_method(code: &mut String, file: &FileDescriptorProto, method: &MethodDescriptorProto, path: &str) {
    let request = local_name(method.input_type());
    let response = local_name(method.output_type());
    let has_request_id = file
        .message_type
        .iter()
        .filter(|message| message.name() == request)
        .any(|message| message.field.iter().any(|field| field.name() == "request_id"));
    let repeatable = method
        .options
        .as_ref()
        .is_some_and(|options| options.idempotency_level() != IdempotencyLevel::IdempotencyUnknown);
    let request_id = if has_request_id {
        "fn request_id(&mut self) -> Option<&mut String> { Some(&mut self.request_id) }"
    } else {
        ""
    };
    writeln!(
        code,
        "impl UnaryRequest for v1::{request} {{
            type Response = v1::{response};
            const PATH: &'static str = {path:?};
            const REPEATABLE: bool = {repeatable};
            {request_id}
        }}
        impl sealed::Sealed for v1::{request} {{}}"
    )
    .expect("a String takes all");
}

/// Each field of the message `Write` is a request, and the field of `WriteResult` with its name is the response.
fn write_impls(descriptors: &FileDescriptorSet) -> String {
    let messages = descriptors.file.iter().filter(|file| file.package() == PACKAGE).flat_map(|file| &file.message_type);
    let mut code = String::new();
    for field in messages.filter(|message| message.name() == "Write").flat_map(|message| &message.field) {
        let request = local_name(field.type_name());
        let variant = camel_case(field.name());
        writeln!(
            code,
            "impl WriteRequest for v1::{request} {{
                fn into_write(self) -> v1::write::Write {{ v1::write::Write::{variant}(self) }}
                fn response(result: &v1::write_result::Result) -> Option<&Self::Response> {{
                    match result {{
                        v1::write_result::Result::{variant}(response) => Some(response),
                        _ => None,
                    }}
                }}
            }}"
        )
        .expect("a String takes all");
    }
    code
}

fn camel_case(snake_case: &str) -> String {
    snake_case
        .split('_')
        .flat_map(|word| word.chars().enumerate())
        .map(|(index, letter)| if index == 0 { letter.to_ascii_uppercase() } else { letter })
        .collect()
}

fn local_name(full_name: &str) -> &str {
    full_name.rsplit('.').next().unwrap_or(full_name)
}
