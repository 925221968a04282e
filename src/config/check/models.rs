//! Rules for the keys about vectors and models: embedder, knowledge, model.

use super::predicates::{is_chroma_name, is_name, is_path, is_path_or_empty, is_url_where, within};
use super::rule::Rule;
use crate::embedder::{EmbedderKind, KnowledgeKind, WITHOUT_MINILM, WITHOUT_USEARCH};
use crate::model::is_versioned_url;

const CHROMA_NAME: &str = "3 to 100 of A-Z a-z 0-9 . _ -, beginning with a letter or digit";

pub(super) const RULES: &[Rule] = &[
    Rule {
        key: "embedder.kind",
        allowed: if cfg!(feature = "minilm") { "static, server or transformer" } else { "static or server" },
        hint: if cfg!(feature = "minilm") { "" } else { WITHOUT_MINILM },
        ok: |c| cfg!(feature = "minilm") || c.embedder.kind != EmbedderKind::Transformer,
    },
    Rule {
        key: "embedder.path",
        allowed: "a folder; empty for the embedded model of `static`, and with `server`",
        hint: "a model is config.json, tokenizer.json and model.safetensors",
        ok: |c| {
            let needed = c.embedder.kind == EmbedderKind::Transformer;
            if needed { is_path(&c.embedder.path) } else { is_path_or_empty(&c.embedder.path) }
        },
    },
    Rule {
        key: "embedder.url",
        allowed: "http:// or https:// and a host, without a user, a password or a query; empty without a server",
        hint: "for example http://127.0.0.1:11434; a key goes into the file that embedder.api_key_file names",
        ok: |c| is_url_where(c.embedder.kind == EmbedderKind::Server, &c.embedder.url),
    },
    Rule {
        key: "embedder.model",
        allowed: "a name without spaces or control characters; empty without a server",
        hint: "the server's documentation lists its models",
        ok: |c| is_name(&c.embedder.model) || (c.embedder.kind != EmbedderKind::Server && c.embedder.model.is_empty()),
    },
    Rule {
        key: "embedder.api_key_file",
        allowed: "a path, or empty for none",
        hint: "the file contains only the key",
        ok: |c| is_path_or_empty(&c.embedder.api_key_file),
    },
    Rule {
        key: "embedder.dimensions",
        allowed: "0 to 8192",
        hint: "0 uses the model's own number; not every server accepts another",
        ok: |c| within(c.embedder.dimensions as u64, 0..=8_192),
    },
    Rule {
        key: "embedder.timeout_seconds",
        allowed: "1 to 300 (seconds)",
        hint: "",
        ok: |c| within(c.embedder.timeout_seconds, 1..=300),
    },
    Rule {
        key: "embedder.batch",
        allowed: "1 to 2048 (texts)",
        hint: "",
        ok: |c| within(c.embedder.batch as u64, 1..=2_048),
    },
    Rule { key: "embedder.use_environment_proxy", allowed: "true or false", hint: "", ok: |_| true },
    Rule {
        key: "knowledge.kind",
        allowed: if cfg!(feature = "usearch") { "exact, chroma or usearch" } else { "exact or chroma" },
        hint: if cfg!(feature = "usearch") { "" } else { WITHOUT_USEARCH },
        ok: |c| cfg!(feature = "usearch") || c.knowledge.kind != KnowledgeKind::Usearch,
    },
    Rule {
        key: "knowledge.url",
        allowed: "http:// or https:// and a host, without a user, a password or a query; empty without Chroma",
        hint: "for example http://127.0.0.1:8000; a token goes into the file that knowledge.api_key_file names",
        ok: |c| is_url_where(c.knowledge.kind == KnowledgeKind::Chroma, &c.knowledge.url),
    },
    Rule { key: "knowledge.tenant", allowed: CHROMA_NAME, hint: "", ok: |c| is_chroma_name(&c.knowledge.tenant) },
    Rule { key: "knowledge.database", allowed: CHROMA_NAME, hint: "", ok: |c| is_chroma_name(&c.knowledge.database) },
    Rule {
        key: "knowledge.collection",
        allowed: CHROMA_NAME,
        hint: "each store needs a collection of its own: it is emptied at each start",
        ok: |c| is_chroma_name(&c.knowledge.collection),
    },
    Rule {
        key: "knowledge.api_key_file",
        allowed: "a path, or empty for none",
        hint: "the file contains only the token",
        ok: |c| is_path_or_empty(&c.knowledge.api_key_file),
    },
    Rule {
        key: "knowledge.timeout_seconds",
        allowed: "1 to 300 (seconds)",
        hint: "",
        ok: |c| within(c.knowledge.timeout_seconds, 1..=300),
    },
    Rule {
        key: "knowledge.batch",
        allowed: "1 to 5000 (vectors)",
        hint: "",
        ok: |c| within(c.knowledge.batch as u64, 1..=5_000),
    },
    Rule { key: "knowledge.use_environment_proxy", allowed: "true or false", hint: "", ok: |_| true },
    Rule {
        key: "model.provider",
        allowed: "openai, anthropic, or empty for no model",
        hint: "most local servers use openai, too",
        ok: |_| true,
    },
    Rule {
        key: "model.url",
        allowed: "http:// or https:// and a host, without a user or a password, without a query except api-version=; \
                  empty without a model",
        hint: "for example http://127.0.0.1:11434; a key goes into the file that model.api_key_file names",
        ok: |c| {
            if c.model.is_on() {
                is_versioned_url(&c.model.url)
            } else {
                c.model.url.is_empty() || is_versioned_url(&c.model.url)
            }
        },
    },
    Rule {
        key: "model.model",
        allowed: "a name without spaces or control characters; empty without a model",
        hint: "the server's documentation lists its models",
        ok: |c| {
            if c.model.is_on() { is_name(&c.model.model) } else { c.model.model.is_empty() || is_name(&c.model.model) }
        },
    },
    Rule {
        key: "model.api_key_file",
        allowed: "a path, or empty for none",
        hint: "the file contains only the key",
        ok: |c| is_path_or_empty(&c.model.api_key_file),
    },
    Rule {
        key: "model.timeout_seconds",
        allowed: "1 to 600 (seconds)",
        hint: "",
        ok: |c| within(c.model.timeout_seconds, 1..=600),
    },
    Rule {
        key: "model.concurrency",
        allowed: "1 to 64 (questions)",
        hint: "a server on this machine may be as fast with one at a time",
        ok: |c| within(c.model.concurrency as u64, 1..=64),
    },
    Rule {
        key: "model.reasoning_effort",
        allowed: "none, minimal, low, medium, high, or empty for the server's default",
        hint: "the questions need little reasoning: low answers sooner and costs less",
        ok: |c| ["", "none", "minimal", "low", "medium", "high"].contains(&c.model.reasoning_effort.as_str()),
    },
    Rule { key: "model.read", allowed: "true or false", hint: "", ok: |_| true },
    Rule {
        key: "model.read_batch",
        allowed: "1 to 50 (comments)",
        hint: "a slow server answers fewer within model.timeout_seconds",
        ok: |c| within(c.model.read_batch as u64, 1..=50),
    },
    Rule { key: "model.place", allowed: "true or false", hint: "", ok: |_| true },
    Rule { key: "model.check", allowed: "true or false", hint: "", ok: |_| true },
    Rule {
        key: "model.budget.tokens",
        allowed: "1000 to 1000000000000 (tokens)",
        hint: "if model.provider is empty, no questions are asked",
        ok: |c| within(c.model.budget.tokens, 1_000..=1_000_000_000_000),
    },
    Rule {
        key: "model.budget.money",
        allowed: "0 or more; above 0 only with model.price",
        hint: "the cost is calculated from model.price.input and model.price.output",
        ok: |c| {
            let (budget, price) = (&c.model.budget, &c.model.price);
            budget.money == 0.0 || (is_amount(budget.money) && price.input + price.output > 0.0)
        },
    },
    Rule {
        key: "model.price.input",
        allowed: "0 or more",
        hint: "the price of a million tokens of questions; 0 if it is not known",
        ok: |c| is_amount(c.model.price.input),
    },
    Rule {
        key: "model.price.output",
        allowed: "0 or more",
        hint: "the price of a million tokens of answers; 0 if it is not known",
        ok: |c| is_amount(c.model.price.output),
    },
    Rule {
        key: "model.price.currency",
        allowed: "a name without spaces or control characters",
        hint: "for example USD",
        ok: |c| is_name(&c.model.price.currency),
    },
    Rule { key: "model.use_environment_proxy", allowed: "true or false", hint: "", ok: |_| true },
    Rule {
        key: "refine.max_refinement_iterations",
        allowed: "0 to 10",
        hint: "0 leaves every prompt unchanged",
        ok: |c| c.refine.max_refinement_iterations <= 10,
    },
];

fn is_amount(value: f64) -> bool {
    value.is_finite() && value >= 0.0
}
