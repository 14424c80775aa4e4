//! Files for web browsers that the daemon serves besides its methods: all in memory, with the headers that Python gave them.

use std::collections::HashMap;

use bytes::Bytes;
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, Method as HttpMethod, Response, StatusCode, header};

use crate::response::{Body, empty, with_body};

/// A response of HTTP's that is always the same.
pub struct Page {
    status: StatusCode,
    headers: HeaderMap,
    body: Bytes,
}

impl Page {
    /// Fails with the reason if a header cannot be sent.
    pub fn new(status: u16, headers: Vec<(String, String)>, body: Bytes) -> Result<Self, http::Error> {
        let mut map = HeaderMap::with_capacity(headers.len());
        for (name, value) in headers {
            map.insert(HeaderName::try_from(name)?, HeaderValue::try_from(value)?);
        }
        Ok(Self {
            status: StatusCode::from_u16(status)?,
            headers: map,
            body,
        })
    }

    fn response(&self, parts: &Parts) -> Response<Body> {
        let mut response = if self.is_known(&parts.headers) {
            empty(StatusCode::NOT_MODIFIED)
        } else if parts.method == HttpMethod::HEAD {
            empty(self.status)
        } else {
            let mut response = with_body(self.body.clone());
            *response.status_mut() = self.status;
            response
        };
        *response.headers_mut() = self.headers.clone();
        response
    }

    /// Return true if the browser has the page as it is: RFC 9110, section 13.1.2.
    fn is_known(&self, headers: &HeaderMap) -> bool {
        let Some(tag) = self.headers.get(header::ETAG) else {
            return false;
        };
        headers
            .get_all(header::IF_NONE_MATCH)
            .iter()
            .flat_map(|value| value.as_bytes().split(|byte| *byte == b','))
            .map(<[u8]>::trim_ascii)
            .any(|each| each == b"*" || each.strip_prefix(b"W/").unwrap_or(each) == tag.as_bytes())
    }
}

/// The pages by path.
#[derive(Default)]
pub struct Pages(pub HashMap<String, Page>);

impl Pages {
    /// Return the response to a request for a page; none if it is for something else.
    pub fn response(&self, parts: &Parts) -> Option<Response<Body>> {
        if parts.method != HttpMethod::GET && parts.method != HttpMethod::HEAD {
            return None;
        }
        self.0.get(parts.uri.path()).map(|page| page.response(parts))
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use http::Request;
    use http::request::Parts;
    use http_body::Body as _;

    use super::{Page, Pages};

    fn pages() -> Pages {
        let headers = vec![("etag".to_owned(), "\"1\"".to_owned())];
        let page = Page::new(200, headers, Bytes::from_static(b"text")).unwrap();
        Pages([("/page".to_owned(), page)].into())
    }

    fn request(method: &str, path: &str, known: Option<&str>) -> Parts {
        let mut request = Request::builder().method(method).uri(path);
        if let Some(known) = known {
            request = request.header("if-none-match", known);
        }
        request.body(()).unwrap().into_parts().0
    }

    fn answer(method: &str, path: &str, known: Option<&str>) -> Option<(u16, u64)> {
        let response = pages().response(&request(method, path, known))?;
        let size = response.body().size_hint().exact().unwrap();
        Some((response.status().as_u16(), size))
    }

    #[test]
    fn only_reads_of_its_own_path_return_a_page() {
        assert_eq!(answer("GET", "/page?a=1", None), Some((200, 4)));
        assert_eq!(answer("HEAD", "/page", None), Some((200, 0)));
        assert_eq!(answer("POST", "/page", None), None);
        for path in ["/", "/page/", "/page/..", "//page", "/other"] {
            assert_eq!(answer("GET", path, None), None, "{path}");
        }
    }

    #[test]
    fn a_page_that_the_browser_has_is_not_sent_again() {
        for known in ["\"1\"", "W/\"1\"", "\"0\", \"1\"", "*"] {
            assert_eq!(answer("GET", "/page", Some(known)), Some((304, 0)), "{known}");
        }
        assert_eq!(answer("GET", "/page", Some("\"0\"")), Some((200, 4)));
    }

    #[test]
    fn a_header_of_two_lines_is_refused() {
        let headers = vec![("etag".to_owned(), "1\r\nx: 2".to_owned())];
        assert!(Page::new(200, headers, Bytes::new()).is_err());
    }
}
