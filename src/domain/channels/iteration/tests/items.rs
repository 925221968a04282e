//! Whole items as reviewers write them, good and bad, in our own words.

use super::*;

/// Reviewers' items that pass without findings.
#[rustfmt::skip]
const GOOD: &[(&str, &str, &str, &str, &str)] = &[
    ("line", "118", "fetchOrders() retries forever when the gateway answers 503, so the worker pool is exhausted", "Stop after 5 attempts and back off exponentially, starting at 200 ms", "A bounded number of attempts keeps the pool free for other tenants"),
    ("function", "OrderRepository.save", "The transaction is opened after the stock was read; two buyers can buy the last item", "Open the transaction before the stock is read and lock the row with SELECT … FOR UPDATE", "Serialises concurrent buyers and rules out negative stock"),
    ("section", "4. Rollout", "The plan names no condition under which the rollout is stopped", "State the error rate at which the rollout stops, and who stops it", "The person on call can decide without asking the author"),
    ("section", "Acceptance criteria", "Criterion 3 says “fast enough”, which nobody can measure", "Replace “fast enough” with a 95th percentile of 300 ms at 50 requests per second", "Testers can decide whether the criterion is met"),
    ("element", "#/properties/timeout", "`timeout` has no unit, and callers pass seconds as well as milliseconds", "Rename `timeout` to `timeout_ms` and document the unit in its description", "Callers see the unit where they set the value"),
    ("range", "20-34", "The loop concatenates strings in O(n²) and takes 40 s for a file of 1 MB", "Collect the parts in a Vec and join them once after the loop", "Makes the export linear in the size of the file"),
    ("path", "config/production.yaml", "The debug endpoint is enabled in production and shows environment variables", "Set `debug.enabled: false` and delete the route from the production router", "Nobody outside can read secrets from the environment"),
    ("function", "test_expiry", "The test sleeps for two seconds and fails on slow runners", "Inject a clock and advance it by two seconds instead of sleeping", "The test no longer depends on the speed of the runner"),
    ("line", "12-19", "Error messages are built from user input without escaping, which allows log injection", "Escape control characters in `detail` before it is logged", "Attackers cannot forge log lines any more"),
    ("section", "Glossary", "“client” and “customer” are used for the same person in sections 2 and 5", "Use “client” throughout and delete “customer” from the glossary", "One word for one thing avoids misreadings in the contract"),
    ("function", "parseAmount", "Amounts with a comma as decimal separator are parsed as thousands", "Parse amounts with the locale of the account and reject ambiguous input with 422", "German users no longer transfer 1,000 times the amount"),
    ("element", "login button", "The contrast of the button's label is 2.9:1 and fails WCAG AA", "Darken the label to #595959 or darker", "Users with low vision can read the label"),
    ("path", "src/api/mod.rs", "Public functions have no doc comments, so the generated page is empty", "Document the errors and units of each public function in src/api/mod.rs", "Readers of the API page learn which errors to handle"),
    ("line", "77", "The password is compared with `==`, whose duration depends on the first wrong byte", "Compare with `subtle::ConstantTimeEq`", "Closes the timing side channel"),
    ("function", "migrate_up", "The migration rewrites the orders table under an exclusive lock of about ten minutes", "Backfill the column in batches of 10,000 rows, then add the constraint as NOT VALID and validate it", "Writes continue during the migration"),
    ("line", "9", "`unwrap()` panics for a configuration without [server]", "Return ConfigError::MissingSection(\"server\") instead of calling unwrap()", "Operators get a message with the missing section instead of a backtrace"),
    ("section", "Alternatives considered", "The ADR does not say why Kafka was rejected", "Add one sentence on the cost of running Kafka for 200 events per day", "Later readers do not reopen the decision"),
    ("function", "renderTable()", "Every keystroke renders all 5,000 rows; typing lags by 400 ms", "Virtualize the list with a window of 50 rows", "Keystrokes are handled within one frame"),
    ("line", "31", "The regex accepts e-mail addresses with spaces, and registration mails bounce", "Trim the input and validate it with the `email_address` crate", "Registrations with typos are refused at once"),
    ("section", "2.1 Scope", "The scope includes the mobile app, the estimate does not", "Either exclude the mobile app from 2.1 or add its 15 person-days to the estimate", "Scope and estimate agree when the budget is approved"),
];

/// Rejected items, and why.
#[rustfmt::skip]
const BAD: &[(&str, &str, &str, &str, &str, &str)] = &[
    ("section", "Risks", "The risk section needs improvement in several ways", "List the owner of each risk in the table", "Owners know what they are responsible for", "issue.vague"),
    ("section", "Risks", "The authors might want to say more on risks", "List the owner of each risk in the table", "Owners know what they are responsible for", "issue.vague"),
    ("section", "Risks", "The table should probably have an owner column", "List the owner of each risk in the table", "Owners know what they are responsible for", "issue.vague"),
    ("section", "Risks", "Something about this does not feel right to me", "List the owner of each risk in the table", "Owners know what they are responsible for", "issue.unspecific"),
    ("section", "Risks", "No risk in the table has an owner", "Add an owner to each risk if possible", "Owners know what they are responsible for", "suggestion.hedge"),
    ("section", "Risks", "No risk in the table has an owner", "Perhaps add an owner to each risk in the table", "Owners know what they are responsible for", "suggestion.advisory"),
    ("section", "Risks", "No risk in the table has an owner", "I would think about adding an owner column", "Owners know what they are responsible for", "suggestion.advisory"),
    ("section", "Risks", "No risk in the table has an owner", "You might list the owners in a column", "Owners know what they are responsible for", "suggestion.advisory"),
    ("section", "Risks", "No risk in the table has an owner", "Improve the table and make it better", "Owners know what they are responsible for", "suggestion.no_action"),
    ("section", "Risks", "No risk in the table has an owner", "The risks are not owned by anybody here", "Owners know what they are responsible for", "suggestion.no_action"),
    ("section", "Risks", "No risk in the table has an owner", "Do it right the next time please", "Owners know what they are responsible for", "suggestion.no_action"),
    ("section", "Risks", "No risk in the table has an owner", "List the owner of each risk in the table", "It is simply better and cleaner", "suggestion.no_outcome"),
    ("section", "Risks", "No risk in the table has an owner", "List the owner of each risk in the table", "List the owner of each risk, in the table.", "suggestion.no_outcome"),
    ("section", "throughout", "No risk in the table has an owner", "List the owner of each risk in the table", "Owners know what they are responsible for", "location.vague"),
    ("line", "in the middle", "No risk in the table has an owner", "List the owner of each risk in the table", "Owners know what they are responsible for", "location.vague"),
];

#[test]
fn items_as_reviewers_write_them() {
    let judged = |kind: &str, place: &str, issue: &str, action: &str, rationale: &str| {
        let mut value = item(issue, action, rationale);
        value["feedback_items"][0]["location"] = json!({ "type": kind, "reference": place });
        rules_of(&value)
    };
    let wrong: Vec<_> = GOOD
        .iter()
        .map(|(kind, place, issue, action, rationale)| (issue, judged(kind, place, issue, action, rationale)))
        .filter(|(_, rules)| !rules.is_empty())
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    let passed: Vec<_> = BAD
        .iter()
        .map(|(kind, place, issue, action, rationale, rule)| (rule, judged(kind, place, issue, action, rationale)))
        .filter(|(rule, rules)| !rules.contains(rule))
        .collect();
    assert!(passed.is_empty(), "{passed:#?}");
}
