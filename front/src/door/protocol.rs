//! The protocols that are not gRPC's own, told apart by the head of a request.

use http::request::Parts;
use http::{HeaderMap, HeaderName, Method, header};

/// The format of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Binary,
    Json,
}

/// A protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// Connect's, for one request and one response, which are the bodies of HTTP's.
    Unary { format: Format },
    /// Connect's, for streams.
    Stream(Format),
    /// gRPC-Web, as bytes or as text.
    Web { is_text: bool },
    /// Server-sent events, for one request and a stream of responses: <https://html.spec.whatwg.org/#server-sent-events>.
    Events,
}

impl Protocol {
    /// Return the protocol of a request; none if it is none of these.
    pub fn of(parts: &Parts) -> Option<Self> {
        let wants_events = names(&parts.headers, &header::ACCEPT, "text/event-stream");
        if parts.method == Method::GET {
            if wants_events {
                return Some(Self::Events);
            }
            // Connect's clients say so; a person's curl gives the message alone.
            let format = match crate::door::inbound::parameter(parts.uri.query(), "encoding").as_deref() {
                Some("proto") => Format::Binary,
                _ => Format::Json,
            };
            return Some(Self::Unary { format });
        }
        if parts.method != Method::POST {
            return None;
        }
        let value = parts.headers.get(header::CONTENT_TYPE)?.to_str().ok()?;
        let kind = value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        Some(match kind.as_str() {
            "application/json" if wants_events => Self::Events,
            "application/json" => Self::Unary { format: Format::Json },
            // Curl says so of whatever it posts. A page could, too, without asking first.
            "application/x-www-form-urlencoded" if !parts.headers.contains_key(header::ORIGIN) => {
                Self::Unary { format: Format::Json }
            }
            "application/proto" => Self::Unary { format: Format::Binary },
            "application/connect+json" => Self::Stream(Format::Json),
            "application/connect+proto" => Self::Stream(Format::Binary),
            "application/grpc-web" | "application/grpc-web+proto" => Self::Web { is_text: false },
            "application/grpc-web-text" | "application/grpc-web-text+proto" => Self::Web { is_text: true },
            _ => return None,
        })
    }
}

fn names(headers: &HeaderMap, key: &HeaderName, wanted: &str) -> bool {
    headers
        .get_all(key)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .any(|each| {
            each.split(';')
                .next()
                .unwrap_or_default()
                .trim()
                .eq_ignore_ascii_case(wanted)
        })
}

#[cfg(test)]
mod tests {
    use http::Request;

    use super::{Format, Protocol};

    fn protocol(method: &str, path: &str, headers: &[(&str, &str)]) -> Option<Protocol> {
        let mut request = Request::builder().method(method).uri(path);
        for (key, value) in headers {
            request = request.header(*key, *value);
        }
        Protocol::of(&request.body(()).unwrap().into_parts().0)
    }

    #[test]
    fn the_content_type_decides() {
        let json = Protocol::Unary { format: Format::Json };
        let cases = [
            ("application/json", Some(json)),
            (
                "Application/JSON; charset=utf-8",
                Some(Protocol::Unary { format: Format::Json }),
            ),
            ("application/proto", Some(Protocol::Unary { format: Format::Binary })),
            ("application/connect+json", Some(Protocol::Stream(Format::Json))),
            ("application/connect+proto", Some(Protocol::Stream(Format::Binary))),
            ("application/grpc-web", Some(Protocol::Web { is_text: false })),
            ("application/grpc-web-text+proto", Some(Protocol::Web { is_text: true })),
            ("text/plain", None),
            ("", None),
        ];
        for (value, expected) in cases {
            assert_eq!(protocol("POST", "/", &[("content-type", value)]), expected, "{value}");
        }
        assert_eq!(protocol("POST", "/", &[]), None);
        let form = ("content-type", "application/x-www-form-urlencoded");
        assert_eq!(protocol("POST", "/", &[form]), Some(json));
        assert_eq!(protocol("POST", "/", &[form, ("origin", "https://a.example")]), None);
        assert_eq!(protocol("PUT", "/", &[("content-type", "application/json")]), None);
    }

    #[test]
    fn events_are_asked_for_by_what_is_accepted() {
        let accepts = ("accept", "application/json, text/event-stream;q=0.9");
        assert_eq!(
            protocol("POST", "/", &[("content-type", "application/json"), accepts]),
            Some(Protocol::Events)
        );
        assert_eq!(protocol("GET", "/", &[accepts]), Some(Protocol::Events));
    }

    #[test]
    fn a_get_has_json_unless_it_says_otherwise() {
        let json = Some(Protocol::Unary { format: Format::Json });
        assert_eq!(protocol("GET", "/?message={}", &[]), json);
        let binary = Some(Protocol::Unary { format: Format::Binary });
        assert_eq!(protocol("GET", "/?connect=v1&encoding=proto&message=", &[]), binary);
    }
}
