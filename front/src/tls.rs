//! The encryption of connections, by credentials that can be renewed, and the names in client certificates.

use std::io;
use std::net::IpAddr;
use std::sync::{Arc, RwLock};

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};
use tokio_rustls::TlsAcceptor;
use x509_parser::extensions::GeneralName;
use x509_parser::prelude::{FromDer, X509Certificate};

/// The credentials for new connections.
pub struct Tls(RwLock<Arc<ServerConfig>>);

impl Tls {
    /// Read a certificate chain, its key, and perhaps the authorities of client certificates, which are then required;
    /// all in PEM.
    pub fn new(chain: &[u8], key: &[u8], authorities: Option<&[u8]>) -> io::Result<Self> {
        Ok(Self(RwLock::new(config(chain, key, authorities)?)))
    }

    /// Replace the credentials. Connections keep those that they began with.
    pub fn renew(&self, chain: &[u8], key: &[u8], authorities: Option<&[u8]>) -> io::Result<()> {
        let renewed = config(chain, key, authorities)?;
        *self.0.write().expect("no holder of the lock panics") = renewed;
        Ok(())
    }

    pub fn acceptor(&self) -> TlsAcceptor {
        TlsAcceptor::from(Arc::clone(&self.0.read().expect("no holder of the lock panics")))
    }
}

fn config(chain: &[u8], key: &[u8], authorities: Option<&[u8]>) -> io::Result<Arc<ServerConfig>> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let versions = ServerConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(io::Error::other)?;
    let verified = match authorities {
        None => versions.with_no_client_auth(),
        Some(authorities) => {
            let mut roots = RootCertStore::empty();
            for each in certificates(authorities)? {
                roots.add(each).map_err(io::Error::other)?;
            }
            let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
            versions.with_client_cert_verifier(verifier.build().map_err(io::Error::other)?)
        }
    };
    let key = PrivateKeyDer::from_pem_slice(key).map_err(io::Error::other)?;
    let mut config = verified
        .with_single_cert(certificates(chain)?, key)
        .map_err(io::Error::other)?;
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}

fn certificates(pem: &[u8]) -> io::Result<Vec<CertificateDer<'static>>> {
    CertificateDer::pem_slice_iter(pem)
        .collect::<Result<_, _>>()
        .map_err(io::Error::other)
}

/// The subject alternative names of a certificate, then its common names.
pub fn names(certificate: &CertificateDer<'_>) -> Vec<String> {
    let Ok((_, certificate)) = X509Certificate::from_der(certificate) else {
        return Vec::new();
    };
    let alternatives = certificate.subject_alternative_name().ok().flatten();
    let alternatives = alternatives
        .into_iter()
        .flat_map(|extension| &extension.value.general_names);
    let common = certificate
        .subject()
        .iter_common_name()
        .filter_map(|each| each.as_str().ok());
    alternatives.filter_map(name).chain(common.map(str::to_owned)).collect()
}

fn name(name: &GeneralName<'_>) -> Option<String> {
    match name {
        GeneralName::DNSName(text) | GeneralName::URI(text) | GeneralName::RFC822Name(text) => Some((*text).to_owned()),
        GeneralName::IPAddress(bytes) => match *bytes {
            [a, b, c, d] => Some(IpAddr::from([*a, *b, *c, *d]).to_string()),
            _ => <[u8; 16]>::try_from(*bytes)
                .ok()
                .map(|address| IpAddr::from(address).to_string()),
        },
        _ => None,
    }
}
