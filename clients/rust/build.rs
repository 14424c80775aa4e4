//! Generates the messages and stubs of the protos, an implementation of `UnaryRequest` for each unary method, of
//! `WriteRequest` for each that can be a write of a transaction, and of the traits of requests with a common field.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, error, fs, iter};

use prost_types::method_options::IdempotencyLevel;
use prost_types::{DescriptorProto, FieldDescriptorProto, FileDescriptorSet, MethodDescriptorProto};

const PACKAGE: &str = "memoryd.v1";
/// The traits of the requests that have a field, with the type of the field.
const TRAITS: [(&str, &str, &str); 6] = [
    ("precondition", "ConditionalRequest", "Option<v1::Precondition>"),
    ("agent_precondition", "AgentConditionalRequest", "Option<v1::Precondition>"),
    ("request_id", "ChangeRequest", "String"),
    ("consistency", "ReadRequest", "Option<v1::Consistency>"),
    ("filter", "SelectingRequest", "Option<v1::RecordFilter>"),
    ("view", "ViewRequest", "i32"),
];

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
    fs::write(out_dir.join("raw.rs"), stub_names(&descriptors))?;
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

/// Returns the exports of the stubs. Each service is in the file of its name.
fn stub_names(descriptors: &FileDescriptorSet) -> String {
    let mut code = String::new();
    for file in descriptors.file.iter().filter(|file| file.package() == PACKAGE) {
        let module = Path::new(file.name()).file_stem().expect("a file has a name").to_string_lossy();
        for service in &file.service {
            writeln!(code, "pub use crate::v1::{module}_client::{}Client;", service.name())
                .expect("a String takes all");
        }
    }
    code
}

fn method_impls(descriptors: &FileDescriptorSet) -> String {
    let mut code = String::new();
    for file in descriptors.file.iter().filter(|file| file.package() == PACKAGE) {
        for service in &file.service {
            let unary = service.method.iter().filter(|method| !method.client_streaming() && !method.server_streaming());
            for method in unary {
                let path = format!("/{PACKAGE}.{}/{}", service.name(), method.name());
                write_method(&mut code, descriptors, method, &path);
            }
        }
    }
    code
}

fn write_method(code: &mut String, descriptors: &FileDescriptorSet, method: &MethodDescriptorProto, path: &str) {
    let request = local_name(method.input_type());
    let response = local_name(method.output_type());
    let message = message_named(descriptors, method.input_type());
    let repeatable = method
        .options
        .as_ref()
        .is_some_and(|options| options.idempotency_level() != IdempotencyLevel::IdempotencyUnknown);
    let read_only =
        method.options.as_ref().is_some_and(|options| options.idempotency_level() == IdempotencyLevel::NoSideEffects);
    let binding = binding_of(descriptors, message);
    let overrides: String = [
        ("agent_id", "fn agent_id(&self) -> &str { &self.agent_id }"),
        ("agent_id", "fn bind_agent(&mut self, agent_id: &str) { agent_id.clone_into(&mut self.agent_id); }"),
        ("request_id", "fn request_id(&mut self) -> Option<&mut String> { Some(&mut self.request_id) }"),
        ("wait_duration", "fn wait_duration(&self) -> Option<&prost_types::Duration> { self.wait_duration.as_ref() }"),
    ]
    .into_iter()
    .filter(|(field, _)| has(message, field))
    .map(|(_, method)| method)
    .collect();
    let changed = changed_agents(message, read_only);
    let revision = if has(message_named(descriptors, method.output_type()), "revision") {
        "fn revision_of(response: &Self::Response) -> i64 { response.revision }"
    } else {
        ""
    };
    let bind_user = if binding.is_empty() {
        String::new()
    } else {
        format!("fn bind_user(&mut self, user_id: &str) -> Result<()> {{ {binding} Ok(()) }}")
    };
    writeln!(
        code,
        "impl UnaryRequest for v1::{request} {{
            type Response = v1::{response};
            const PATH: &'static str = {path:?};
            const REPEATABLE: bool = {repeatable};
            {overrides}
            {changed}
            {revision}
            {bind_user}
        }}
        impl sealed::Sealed for v1::{request} {{}}"
    )
    .expect("a String takes all");
    write_traits(code, message, message_named(descriptors, method.output_type()));
}

/// Returns the method that says which agents a request changes, or nothing if it changes none.
fn changed_agents(request: &DescriptorProto, read_only: bool) -> String {
    if read_only || !has(request, "agent_id") {
        return String::new();
    }
    let mut code = "fn changed_agents(&self) -> ChangedAgents<'_> {".to_owned();
    if has(request, "dry_run") {
        code += "if self.dry_run { return ChangedAgents::None; }\n";
    }
    // A restore is of the agent in the snapshot, of another one, or of all.
    if has(request, "as_agent_id") {
        code += "if !self.as_agent_id.is_empty() { return ChangedAgents::One(&self.as_agent_id); }
            if self.agent_id.is_empty() { return ChangedAgents::All; }\n";
    }
    code + "ChangedAgents::One(&self.agent_id) }"
}

/// Writes the implementations of the traits of requests that have a field, and of those that list records in pages.
fn write_traits(code: &mut String, request: &DescriptorProto, response: &DescriptorProto) {
    let name = request.name();
    for (field, of_field, field_type) in TRAITS.iter().filter(|(field, ..)| has(request, field)) {
        let method = format!("fn {field}_mut(&mut self) -> &mut {field_type} {{ &mut self.{field} }}");
        writeln!(code, "impl {of_field} for v1::{name} {{ {method} }}").expect("a String takes all");
    }
    if has(request, "page_token") && has(response, "next_page_token") {
        writeln!(
            code,
            "impl PagedRequest for v1::{name} {{
                fn page_mut(&mut self) -> (&mut i32, &mut String) {{ (&mut self.page_size, &mut self.page_token) }}
                fn next_page_token(response: &mut Self::Response) -> String {{
                    std::mem::take(&mut response.next_page_token)
                }}
            }}"
        )
        .expect("a String takes all");
    }
}

/// Returns the statements that make what a request writes about a user, and select the user's records, unless it names
/// others.
fn binding_of(descriptors: &FileDescriptorSet, request: &DescriptorProto) -> String {
    let of_parts = request.field.iter().map(|field| {
        let of_draft = || bind(message_named(descriptors, field.type_name()), "draft");
        match field.name() {
            "filter" => "crate::user::select(self, user_id)?;".to_owned(),
            // An update changes the user of a record only where the caller says so.
            "draft" if !has(request, "update_mask") && !of_draft().is_empty() => {
                let draft = "let draft = self.draft.get_or_insert_default();";
                format!("if !user_id.is_empty() {{ {draft} {} }}", of_draft())
            }
            "drafts" if !of_draft().is_empty() => format!("for draft in &mut self.drafts {{ {} }}", of_draft()),
            _ => String::new(),
        }
    });
    iter::once(bind(request, "self")).chain(of_parts).collect()
}

/// Returns the statement that sets the user of a message that has one.
fn bind(message: &DescriptorProto, place: &str) -> String {
    match field_named(message, "user_id") {
        Some(field) if field.proto3_optional() => {
            format!("crate::user::bind_optional(&mut {place}.user_id, user_id);")
        }
        Some(_) => format!("crate::user::bind(&mut {place}.user_id, user_id);"),
        None => String::new(),
    }
}

fn message_named<'a>(descriptors: &'a FileDescriptorSet, full_name: &str) -> &'a DescriptorProto {
    let files = descriptors.file.iter().filter(|file| full_name.starts_with(&format!(".{}.", file.package())));
    files
        .flat_map(|file| &file.message_type)
        .find(|message| message.name() == local_name(full_name))
        .unwrap_or_else(|| panic!("the protos have no message {full_name}"))
}

fn field_named<'a>(message: &'a DescriptorProto, name: &str) -> Option<&'a FieldDescriptorProto> {
    message.field.iter().find(|field| field.name() == name)
}

fn has(message: &DescriptorProto, name: &str) -> bool {
    field_named(message, name).is_some()
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
