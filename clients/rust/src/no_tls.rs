//! The options of TLS where no feature of the crate has it.

use tonic::transport::Endpoint;

use crate::error::Result;

/// There are none.
#[derive(Clone, Debug)]
pub enum Tls {}

impl Tls {
    pub(crate) fn apply(&self, _endpoint: Endpoint) -> Result<Endpoint> {
        match *self {}
    }
}
