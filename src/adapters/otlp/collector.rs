//! The collector, as seen by the thread that sends spans: its loss is reported once, and so is its return.

use opentelemetry_otlp::SpanExporter as OtlpExporter;
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::trace::{SpanData, SpanExporter};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// A collector. Spans it does not accept are dropped.
#[derive(Debug)]
pub(super) struct Collector {
    exporter: OtlpExporter,
    named: String,
    /// Spans lost during the outage.
    lost: AtomicUsize,
}

impl Collector {
    /// `named` is its name for people.
    pub(super) fn new(exporter: OtlpExporter, named: String) -> Collector {
        Collector { exporter, named, lost: AtomicUsize::new(0) }
    }
}

impl SpanExporter for Collector {
    async fn export(&self, spans: Vec<SpanData>) -> OTelSdkResult {
        let count = spans.len();
        let sent = self.exporter.export(spans).await;
        match &sent {
            Ok(()) => match self.lost.swap(0, Ordering::Relaxed) {
                0 => {}
                lost => tracing::info!(collector = self.named, lost, "the collector accepts spans again"),
            },
            Err(error) if self.lost.fetch_add(count, Ordering::Relaxed) == 0 => {
                tracing::warn!(collector = self.named, %error, "the collector accepts no spans; they are lost until it \
                                                             does");
            }
            Err(_) => {}
        }
        sent
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.exporter.shutdown_with_timeout(timeout)
    }

    fn force_flush(&self) -> OTelSdkResult {
        self.exporter.force_flush()
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.exporter.set_resource(resource);
    }
}
