//! Imports from other tools' files, and taking them back.

use super::rows::{decision, hand_in, list};
use crate::api::operation::{Decides, Operation};
use crate::api::response::{refused, told};
use crate::api::submission::{Nothing, SubmissionBody};
use crate::app::queries::RecordLocation;
use crate::domain::records::record::ImportRecord;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

/// The calls about imports.
pub const IMPORTS: &[Operation] = &[
    list(
        "/imports",
        "listImports",
        "Rules imported as in force elsewhere, by import, latest first; includes withdrawn imports",
        &[],
        |g| g.subschema_for::<Imports>(),
        |services, _| told(&Imports { imports: services.channels.ask(|c| c.queries.imports()).map_err(refused)? }),
    ),
    decision(
        "/imports/{import}/withdraw",
        "withdrawImport",
        "Withdraws an import: its rules may be proposed again; later decisions by people are kept",
        |g| g.subschema_for::<SubmissionBody<Nothing>>(),
        Decides::Something,
        |services, asked| {
            let action = json!({"decision": "WITHDRAW_IMPORT", "import": asked.part("import")});
            hand_in::<Nothing>(services, asked, |_| action)
        },
    ),
];

/// Imports, latest first.
#[derive(Serialize, JsonSchema)]
struct Imports {
    /// All of them.
    imports: Vec<RecordLocation<ImportRecord>>,
}
