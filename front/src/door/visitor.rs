//! Where requests come from: pages of web browsers, which may be anybody's.
//!
//! A page can make its browser call this machine. What it may not read, the browser keeps from it, by
//! <https://fetch.spec.whatwg.org/#http-cors-protocol>. A page whose own name suddenly has the address of this machine is
//! found by that name, which the request has as its host.

use std::net::IpAddr;

use http::request::Parts;
use http::{HeaderMap, HeaderValue, Response, StatusCode, header};

use crate::response::{Body, empty};

/// Time for which a browser need not ask again, in seconds: what browsers allow at most.
const PREFLIGHT_AGE: &str = "7200";
const EXPOSED: &str = "grpc-status, grpc-message, grpc-status-details-bin, content-encoding";

/// Who may call from a page.
#[derive(Default)]
pub struct Visitors {
    /// The origins of pages that may call. ``*`` is any.
    pub origins: Vec<String>,
    /// The names that the host may have. None: any, since callers are known by their credentials.
    pub hosts: Option<Vec<String>>,
}

impl Visitors {
    /// Return the origin of the page that calls, if it is another than this host; none if no page calls. Fails with the
    /// reason for a request that is refused.
    pub fn origin_of(&self, parts: &Parts) -> Result<Option<HeaderValue>, String> {
        let host = host_of(parts);
        if let Some(names) = &self.hosts
            && !is_own(host, names)
        {
            return Err(format!("the host {host} is not known here: --http-host adds a name"));
        }
        let Some(origin) = parts.headers.get(header::ORIGIN) else {
            return Ok(None);
        };
        let text = origin.to_str().unwrap_or_default();
        let is_same = text
            .split_once("://")
            .is_some_and(|(_, authority)| authority.eq_ignore_ascii_case(host));
        if is_same {
            return Ok(None);
        }
        if self.origins.iter().any(|each| each == "*" || each == text) {
            return Ok(Some(origin.clone()));
        }
        Err(format!("pages of {text} may not call: --http-origin adds an origin"))
    }
}

fn host_of(parts: &Parts) -> &str {
    let named = parts.uri.authority().map(http::uri::Authority::as_str);
    let header = || parts.headers.get(header::HOST).and_then(|value| value.to_str().ok());
    named.or_else(header).unwrap_or_default()
}

/// Return true for addresses, and for names that nobody else can own.
fn is_own(host: &str, names: &[String]) -> bool {
    let name = name_of(host).to_ascii_lowercase();
    let is_local = !name.contains('.') || name.ends_with(".localhost");
    is_local || name.parse::<IpAddr>().is_ok() || names.contains(&name)
}

fn name_of(host: &str) -> &str {
    if let Some(rest) = host.strip_prefix('[') {
        return rest.split(']').next().unwrap_or_default();
    }
    host.rsplit_once(':').map_or(host, |(name, _)| name)
}

/// Answer a browser that asks whether a page may call.
pub fn preflight(headers: &HeaderMap) -> Response<Body> {
    let mut response = empty(StatusCode::NO_CONTENT);
    let answer = response.headers_mut();
    answer.insert(
        header::ACCESS_CONTROL_ALLOW_METHODS,
        HeaderValue::from_static("GET, POST"),
    );
    if let Some(wanted) = headers.get(header::ACCESS_CONTROL_REQUEST_HEADERS) {
        answer.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, wanted.clone());
    }
    answer.insert(header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static(PREFLIGHT_AGE));
    response
}

/// Let the page of an origin read a response. No cookies are asked for: they mean nothing here.
pub fn allow(headers: &mut HeaderMap, origin: Option<&HeaderValue>) {
    headers.insert(header::VARY, HeaderValue::from_static("origin, accept-encoding"));
    headers.insert("x-content-type-options", HeaderValue::from_static("nosniff"));
    if let Some(origin) = origin {
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
        headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(EXPOSED));
    }
}

#[cfg(test)]
mod tests {
    use http::Request;
    use http::request::Parts;

    use super::Visitors;

    fn request(host: &str, origin: Option<&str>) -> Parts {
        let mut request = Request::builder().uri("/").header("host", host);
        if let Some(origin) = origin {
            request = request.header("origin", origin);
        }
        request.body(()).unwrap().into_parts().0
    }

    #[test]
    fn a_name_that_somebody_else_may_own_is_refused() {
        let visitors = Visitors {
            origins: Vec::new(),
            hosts: Some(vec!["memory.example".to_owned()]),
        };
        for host in [
            "127.0.0.1:7600",
            "[::1]:7600",
            "::1",
            "localhost:7600",
            "memoryd:7600",
            "a.localhost",
            "memory.example",
            "Memory.Example:1",
            "",
        ] {
            assert!(visitors.origin_of(&request(host, None)).is_ok(), "{host}");
        }
        for host in [
            "evil.example",
            "evil.example:7600",
            "127.0.0.1.evil.example:7600",
            "evil.memory.example",
        ] {
            assert!(visitors.origin_of(&request(host, None)).is_err(), "{host}");
        }
    }

    #[test]
    fn only_named_origins_and_the_host_itself_may_call() {
        let visitors = Visitors {
            origins: vec!["https://app.example".to_owned()],
            hosts: None,
        };
        let answer = |origin| visitors.origin_of(&request("localhost:7600", Some(origin)));
        assert_eq!(answer("https://app.example").unwrap().unwrap(), "https://app.example");
        assert_eq!(answer("http://localhost:7600").unwrap(), None);
        for origin in [
            "null",
            "http://app.example",
            "https://app.example.evil",
            "http://localhost:7601",
            "",
        ] {
            assert!(answer(origin).is_err(), "{origin}");
        }
    }

    #[test]
    fn any_origin_may_call_if_that_was_asked_for() {
        let visitors = Visitors {
            origins: vec!["*".to_owned()],
            hosts: None,
        };
        assert!(visitors.origin_of(&request("a", Some("null"))).unwrap().is_some());
    }
}
