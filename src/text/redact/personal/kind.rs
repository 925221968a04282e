//! The kinds of personal data, and where one of them stands.

/// A kind of personal data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PersonalKind {
    /// An e-mail address, written out or with `(at)`.
    Email,
    /// A telephone number.
    Phone,
    /// An IP address that is reached from everywhere.
    Ip,
    /// The number of a payment card.
    Card,
    /// The number of a bank account.
    Iban,
}

impl PersonalKind {
    /// All of them; where two could stand for the same text, the earlier counts.
    pub const ALL: [PersonalKind; 5] =
        [PersonalKind::Iban, PersonalKind::Card, PersonalKind::Email, PersonalKind::Phone, PersonalKind::Ip];

    /// As marks and the configuration name it.
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

/// Where something personal stands in a text, in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PersonalDatum {
    /// Where it begins.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// What it is.
    pub kind: PersonalKind,
    /// The same for every way of writing it.
    pub(super) normal: String,
}
