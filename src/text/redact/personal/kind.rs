//! The kinds of personal data, and their positions.

/// A kind of personal data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PersonalKind {
    /// An e-mail address, written out or with `(at)`.
    Email,
    /// A telephone number.
    Phone,
    /// A publicly reachable IP address.
    Ip,
    /// A payment card number.
    Card,
    /// A bank account number.
    Iban,
}

impl PersonalKind {
    /// All kinds; if two match the same text, the earlier wins.
    pub const ALL: [PersonalKind; 5] =
        [PersonalKind::Iban, PersonalKind::Card, PersonalKind::Email, PersonalKind::Phone, PersonalKind::Ip];

    /// Returns the name used in marks and the configuration.
    pub fn name(self) -> &'static str {
        match self {
            PersonalKind::Email => "email",
            PersonalKind::Phone => "phone",
            PersonalKind::Ip => "ip",
            PersonalKind::Card => "card",
            PersonalKind::Iban => "iban",
        }
    }
}

/// Position of personal data in a text, in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PersonalDatum {
    /// Its start.
    pub start: usize,
    /// Its end.
    pub end: usize,
    /// Its kind.
    pub kind: PersonalKind,
    /// Its normal form, equal for every spelling.
    pub(super) normal: String,
}
