//! Treatment of personal data in texts, ids and JSON, configured per kind.

use super::find;
use super::key::PseudonymKey;
use super::kind::{PersonalDatum, PersonalKind};
use crate::ids::short_hash;
use crate::redact::clean::clean_text;
use crate::redact::search;
use crate::redact::secret::{MARK, Secret};
use serde_json::{Map, Value};
use std::sync::Arc;

/// Returns the treatment of a kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Treatment {
    /// Kept.
    #[default]
    Off,
    /// `[REDACTED:<kind>]`
    Masked,
    /// `[<kind>:<eight letters>]`, equal for the same address or number as long as the key stays the same.
    Pseudonym,
}

/// Treatment of personal data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Personal {
    /// E-mail addresses.
    pub email: Treatment,
    /// Telephone numbers.
    pub phone: Treatment,
    /// IP addresses.
    pub ip: Treatment,
    /// Payment cards.
    pub card: Treatment,
    /// Bank accounts.
    pub iban: Treatment,
    /// The key for pseudonyms. Without it, data to be pseudonymized is masked.
    pub key: Option<PseudonymKey>,
    /// E-mail addresses and hosts that stay, in lower case: e.g. those of the project's own agents.
    pub keep: Arc<[String]>,
}

impl Default for Personal {
    fn default() -> Self {
        let masked = Treatment::Masked;
        Personal {
            email: masked,
            phone: masked,
            ip: Treatment::Off,
            card: masked,
            iban: masked,
            key: None,
            keep: Arc::default(),
        }
    }
}

/// Maximum number of passes over the result. One suffices for anything but constructed text.
const MAX_PASSES: usize = 8;

impl Personal {
    /// Returns a policy that changes nothing.
    pub fn off() -> Personal {
        let off = Treatment::Off;
        Personal { email: off, phone: off, ip: off, card: off, iban: off, ..Personal::default() }
    }

    /// Returns the treatment of a kind.
    pub fn treatment(&self, kind: PersonalKind) -> Treatment {
        match kind {
            PersonalKind::Email => self.email,
            PersonalKind::Phone => self.phone,
            PersonalKind::Ip => self.ip,
            PersonalKind::Card => self.card,
            PersonalKind::Iban => self.iban,
        }
    }

    /// Returns the personal data in a text that does not stay, in order and without overlaps. Parts of a secret are
    /// left to the secret.
    pub fn find(&self, text: &str) -> Vec<PersonalDatum> {
        let mut found = find::find(text, &|kind| self.treatment(kind) != Treatment::Off, &self.keep);
        if !found.is_empty() {
            let secrets = search::find(text);
            found.retain(|datum| !secrets.iter().any(|secret| datum.start < secret.end && secret.start < datum.end));
        }
        found
    }

    /// Returns the text without personal data that does not stay; `None` if nothing changes. The secrets of a changed
    /// text are removed too: next to a mark they might not be recognised.
    pub fn without(&self, text: &str) -> Option<String> {
        let mut clean = self.without_once(text)?;
        // A neighbour of removed data may only be visible now.
        for _ in 0..MAX_PASSES {
            match self.without_once(&clean) {
                Some(again) => clean = again,
                None => break,
            }
        }
        Some(clean)
    }

    fn without_once(&self, text: &str) -> Option<String> {
        let found = self.find(text);
        if found.is_empty() {
            return None;
        }
        let replaced = found.iter().map(|datum| (datum.start, datum.end, self.replacement(datum)));
        let secret = |secret: Secret| (secret.start, secret.end, format!("{MARK}{}]", secret.kind));
        let mut replaced: Vec<(usize, usize, String)> =
            replaced.chain(search::find(text).into_iter().map(secret)).collect();
        replaced.sort();
        let (mut out, mut at) = (String::with_capacity(text.len()), 0);
        for (start, end, mark) in replaced {
            out.push_str(&text[at..start]);
            out.push_str(&mark);
            at = end;
        }
        out.push_str(&text[at..]);
        Some(out)
    }

    /// Removes hidden characters and data that does not stay.
    pub fn clean(&self, text: &str) -> String {
        let clean = clean_text(text);
        self.without(&clean).unwrap_or(clean)
    }

    /// Returns the replacement for personal data.
    pub fn replacement(&self, datum: &PersonalDatum) -> String {
        let name = datum.kind.name();
        match (&self.key, self.treatment(datum.kind)) {
            (Some(key), Treatment::Pseudonym) => format!("[{name}:{}]", key.pseudonym(name, &datum.normal)),
            _ => format!("{MARK}{name}]"),
        }
    }

    /// Returns an id without data that does not stay. An id with such data is replaced as a whole, consistently, so
    /// that it still names one thing.
    pub fn without_in_id(&self, id: &str) -> Option<String> {
        // A numeric id is not a card number: one in fifty would look like it.
        if id.bytes().all(|b| b.is_ascii_digit()) || self.find(id).is_empty() {
            return None;
        }
        let hash = match &self.key {
            Some(key) => key.pseudonym("id", id),
            None => short_hash(&[id]),
        };
        Some(format!("redacted-{hash}"))
    }

    /// Removes it from all texts, numbers and names in a JSON value. `id` tells which names hold ids; `skip`, which
    /// stay whatever they hold.
    pub fn take_out(&self, name: &str, value: &mut Value, rules: &Names) {
        if (rules.stays)(name) {
            return;
        }
        match value {
            Value::Null | Value::Bool(_) => {}
            Value::Number(number) => {
                if !(rules.is_id)(name)
                    && let Some(text) = self.without(&number.to_string())
                {
                    *value = Value::String(text);
                }
            }
            Value::String(text) => {
                let changed = if (rules.is_id)(name) { self.without_in_id(text) } else { self.without(text) };
                if let Some(changed) = changed {
                    *text = changed;
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.take_out(name, item, rules)),
            Value::Object(map) => {
                let mut clean = Map::new();
                for (name, mut inner) in std::mem::take(map) {
                    self.take_out(&name, &mut inner, rules);
                    let mut name = self.without(&name).unwrap_or(name);
                    while clean.contains_key(&name) {
                        name.push('_');
                    }
                    clean.insert(name, inner);
                }
                *map = clean;
            }
        }
    }

    /// Returns the kinds of the marks in a text, each once.
    pub fn marked(text: &str) -> impl Iterator<Item = &'static str> {
        let is_there =
            move |name: &&'static str| text.contains(&format!("{MARK}{name}]")) || text.contains(&format!("[{name}:"));
        PersonalKind::ALL.into_iter().map(PersonalKind::name).filter(is_there)
    }
}

/// Rules by field name.
pub struct Names {
    /// The value is an identifier.
    pub is_id: fn(&str) -> bool,
    /// The value is compared and not kept, or names a person who decides.
    pub stays: fn(&str) -> bool,
}
