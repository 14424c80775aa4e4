//! The options of TLS.

use std::fs;
use std::path::{Path, PathBuf};

use tonic::transport::{Certificate, ClientTlsConfig, Endpoint, Identity};

use crate::error::Result;
use crate::target::invalid;

/// The options of TLS. `Tls::new()` trusts the machine's certificates: those of the crate's feature `tls-native-roots`. With
/// `tls-webpki-roots` it trusts Mozilla's, too.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tls {
    ca_file: Option<PathBuf>,
    identity: Option<(PathBuf, PathBuf)>,
    server_name: Option<String>,
}

impl Tls {
    /// Returns the defaults: trust the machine's certificates, and verify the target's host in the daemon's
    /// certificate.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Trusts the certificates in this PEM file instead of the machine's.
    #[must_use]
    pub fn ca_file(mut self, path: impl Into<PathBuf>) -> Self {
        self.ca_file = Some(path.into());
        self
    }

    /// Presents this client certificate, for mutual TLS. Both files are PEM.
    #[must_use]
    pub fn identity(mut self, cert_file: impl Into<PathBuf>, key_file: impl Into<PathBuf>) -> Self {
        self.identity = Some((cert_file.into(), key_file.into()));
        self
    }

    /// Verifies this name in the daemon's certificate instead of the target's host.
    #[must_use]
    pub fn server_name(mut self, name: impl Into<String>) -> Self {
        self.server_name = Some(name.into());
        self
    }

    /// Returns an endpoint with these options.
    pub(crate) fn apply(&self, endpoint: Endpoint) -> Result<Endpoint> {
        endpoint.tls_config(self.config()?).map_err(|error| {
            let why = std::error::Error::source(&error).map_or_else(|| error.to_string(), ToString::to_string);
            invalid(format!("TLS cannot be used: {why}")).with_source(error)
        })
    }

    /// Reads the files.
    fn config(&self) -> Result<ClientTlsConfig> {
        let mut config = match &self.ca_file {
            Some(path) => ClientTlsConfig::new().ca_certificate(authority_in(path)?),
            None => trusting_roots()?,
        };
        if let Some((cert_file, key_file)) = &self.identity {
            config = config.identity(Identity::from_pem(content_of(cert_file)?, content_of(key_file)?));
        }
        if let Some(name) = &self.server_name {
            config = config.domain_name(name);
        }
        Ok(config)
    }
}

#[cfg(any(feature = "tls-native-roots", feature = "tls-webpki-roots"))]
#[allow(clippy::unnecessary_wraps, reason = "without those features there are none")]
fn trusting_roots() -> Result<ClientTlsConfig> {
    Ok(ClientTlsConfig::new().with_enabled_roots())
}

#[cfg(not(any(feature = "tls-native-roots", feature = "tls-webpki-roots")))]
fn trusting_roots() -> Result<ClientTlsConfig> {
    Err(invalid("TLS needs a ca_file, or the feature tls-native-roots or tls-webpki-roots of the crate"))
}

/// Reads the certificates to trust. A file without any is refused: tonic would accept it and trust no server.
fn authority_in(path: &Path) -> Result<Certificate> {
    let pem = content_of(path)?;
    if !String::from_utf8_lossy(&pem).contains("-----BEGIN CERTIFICATE-----") {
        return Err(invalid(format!("the TLS file {} contains no certificate", path.display())));
    }
    Ok(Certificate::from_pem(pem))
}

fn content_of(path: &Path) -> Result<Vec<u8>> {
    fs::read(path)
        .map_err(|error| invalid(format!("the TLS file {} cannot be read: {error}", path.display())).with_source(error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    #[test]
    fn a_missing_file_is_named_in_the_error() {
        let error = Tls::new().ca_file("/nowhere/ca.pem").config().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidTarget);
        assert!(error.message().contains("/nowhere/ca.pem"));
    }

    #[test]
    fn a_file_without_a_certificate_is_refused() {
        let error = Tls::new().ca_file("Cargo.toml").config().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidTarget);
        assert!(error.message().contains("Cargo.toml"));
    }
}
