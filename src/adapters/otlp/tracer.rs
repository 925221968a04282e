//! The tracer: where spans are sent, under which name, and which of them.

use super::collector::Collector;
use super::span::{OtlpSpan, remote};
use crate::config::Secret;
use crate::domain::intake::traceparent::TraceContext;
use crate::ports::{Span, SpanStart, Tracer};
use opentelemetry::trace::TracerProvider;
use opentelemetry::{Key, KeyValue};
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::{BatchConfigBuilder, BatchSpanProcessor, Sampler, SdkTracer, SdkTracerProvider};
use reqwest::blocking::Client;
use reqwest::redirect::Policy;
use std::collections::HashMap;
use std::env;
use std::time::Duration;

/// Maximum queued spans: those of a few full batches. Beyond that, later ones are dropped.
const WAITING: usize = 16 * 1024;

/// The OpenTelemetry variables that name a collector for spans.
const ENDPOINTS: [&str; 2] =
    [opentelemetry_otlp::OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, opentelemetry_otlp::OTEL_EXPORTER_OTLP_ENDPOINT];

/// Where spans are sent, and under which name.
#[derive(Clone, Debug)]
pub struct OtlpOptions {
    /// The collector's base URL; otherwise taken from the environment.
    pub endpoint: Option<String>,
    /// Sent with every request.
    pub headers: Vec<(String, Secret)>,
    /// The service name; if empty, from the environment, else `feedbackd`.
    pub service_name: String,
    /// Its instance among services of that name.
    pub instance: String,
    /// Additional attributes.
    pub attributes: Vec<(String, String)>,
    /// The share of new traces that are recorded.
    pub untraced_share: f64,
    /// The collector's timeout.
    pub timeout: Duration,
    /// Whether proxies from the environment are used.
    pub use_environment_proxy: bool,
}

/// Sends spans.
pub struct OtlpTracer {
    provider: SdkTracerProvider,
    tracer: SdkTracer,
}

impl OtlpTracer {
    /// Reports whether the environment names a collector.
    pub fn is_wanted_by_environment() -> bool {
        ENDPOINTS.iter().any(|name| env::var_os(name).is_some_and(|value| !value.is_empty()))
    }

    /// Starts the sending thread. Does not connect yet.
    ///
    /// # Errors
    /// If the options or the environment settings cannot be used.
    pub fn start(options: OtlpOptions) -> Result<OtlpTracer, String> {
        let named = options.endpoint.clone().unwrap_or_else(|| "the collector named by the environment".to_owned());
        let mut batches = BatchConfigBuilder::default();
        if env::var_os("OTEL_BSP_MAX_QUEUE_SIZE").is_none() {
            batches = batches.with_max_queue_size(WAITING);
        }
        let collector = Collector::new(exporter(&options)?, named.clone());
        let processor = BatchSpanProcessor::builder(collector).with_batch_config(batches.build()).build();
        let provider = SdkTracerProvider::builder()
            .with_sampler(Sampler::ParentBased(Box::new(Sampler::TraceIdRatioBased(options.untraced_share))))
            .with_resource(resource(&options))
            .with_span_processor(processor)
            .build();
        // Dropping the last one would wait for the collector, even if the daemon must exit at once.
        std::mem::forget(provider.clone());
        tracing::info!(collector = named, "sending spans");
        Ok(OtlpTracer { tracer: provider.tracer("feedbackd"), provider })
    }
}

impl Tracer for OtlpTracer {
    fn begin(&self, span: SpanStart, within: Option<&TraceContext>) -> Option<Box<dyn Span>> {
        let span = OtlpSpan::begin(&self.tracer, span, remote(within))?;
        Some(Box::new(span))
    }

    fn end(&self, within: Duration) {
        if let Err(error) = self.provider.shutdown_with_timeout(within) {
            tracing::warn!(%error, "the last spans were lost");
        }
    }
}

fn exporter(options: &OtlpOptions) -> Result<SpanExporter, String> {
    let headers = options.headers.iter().map(|(name, value)| (name.clone(), value.expose().to_owned()));
    let mut builder = SpanExporter::builder()
        .with_http()
        .with_protocol(Protocol::HttpBinary)
        .with_timeout(options.timeout)
        .with_headers(headers.collect::<HashMap<_, _>>())
        .with_http_client(client(options)?);
    if let Some(endpoint) = &options.endpoint {
        builder = builder.with_endpoint(format!("{}/v1/traces", without_path(endpoint)));
    }
    builder.build().map_err(|e| e.to_string())
}

/// Returns a collector's base URL, which people write with or without `/v1/traces`.
fn without_path(url: &str) -> &str {
    let url = url.trim_end_matches('/');
    url.strip_suffix("/v1/traces").unwrap_or(url)
}

/// Created on a separate thread: it must not be on one that runs asynchronous work.
fn client(options: &OtlpOptions) -> Result<Client, String> {
    // Fails if one is already installed: then that one is used.
    let _ = rustls::crypto::ring::default_provider().install_default();
    // A redirect would carry the headers to someone else.
    let mut builder = Client::builder()
        .redirect(Policy::none())
        .user_agent(concat!("feedbackd/", env!("CARGO_PKG_VERSION")))
        .timeout(options.timeout);
    if !options.use_environment_proxy {
        builder = builder.no_proxy();
    }
    if options.endpoint.as_ref().is_some_and(|endpoint| endpoint.starts_with("http://")) {
        // Without TLS the system need not have certificates.
        builder = builder.tls_certs_only([]);
    }
    let made =
        std::thread::spawn(move || builder.build()).join().map_err(|_| "cannot create an HTTP client".to_owned())?;
    made.map_err(|e| format!("cannot create an HTTP client: {e}"))
}

/// Describes this daemon among others. The environment may add to it.
fn resource(options: &OtlpOptions) -> Resource {
    const SERVICE_NAME: Key = Key::from_static_str("service.name");
    let from_environment = Resource::builder().build();
    let is_named =
        from_environment.get(&SERVICE_NAME).is_some_and(|name| !name.as_str().starts_with("unknown_service"));
    let pairs = options.attributes.iter().map(|(name, value)| KeyValue::new(name.clone(), value.clone()));
    let mut resource = Resource::builder()
        .with_attribute(KeyValue::new("service.version", env!("CARGO_PKG_VERSION")))
        .with_attribute(KeyValue::new("service.instance.id", options.instance.clone()))
        .with_attributes(pairs);
    if !options.service_name.is_empty() {
        resource = resource.with_service_name(options.service_name.clone());
    } else if !is_named {
        resource = resource.with_service_name("feedbackd");
    }
    resource.build()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_url_may_end_in_several_ways() {
        for url in ["http://h:4318", "http://h:4318/", "http://h:4318/v1/traces", "http://h:4318/v1/traces/"] {
            assert_eq!(without_path(url), "http://h:4318");
        }
        assert_eq!(without_path("https://h/otlp"), "https://h/otlp");
    }
}
