//! Whether the daemon runs, and what it reports.

use super::check::{Check, ok, problem, warning};
use crate::app::admin::daemon_status::DaemonState;

/// Turns the daemon's answers into checks.
pub(super) fn check_daemon(state: &DaemonState, checks: &mut Vec<Check>) {
    let Some(report) = &state.report else {
        return checks.push(warning(
            "daemon",
            state.told(),
            "start it: `systemctl start feedbackd`, or `feedbackd serve`; it is checked at http.listen",
        ));
    };
    let (doubtful, bad) = state.complaints();
    if let Some(trouble) = &state.trouble {
        let hint = "does it use this configuration? `--config` selects another one";
        checks.push(warning("daemon", format!("one answers at {}, and {trouble}", state.address), hint));
    }
    if bad.is_empty() {
        checks.push(ok("daemon", state.told()));
    }
    checks.extend(bad.into_iter().map(|what| problem("daemon", format!("is not ready: {what}"), "see its log")));
    let hint = "fix it as the other checks here suggest; until then the previous version stays in force";
    checks.extend(doubtful.into_iter().map(|what| warning("daemon", format!("complains: {what}"), hint)));
    let Some(sees) = &report.sees else { return };
    if sees.version != env!("CARGO_PKG_VERSION") {
        let what = format!("has version {}, but this program has {}", sees.version, env!("CARGO_PKG_VERSION"));
        checks.push(warning("daemon", what, "restart it after an update"));
    }
    if let Some(bus) = &sees.bus {
        let lag: u64 = bus.streams.iter().filter_map(|stream| stream.lag).sum();
        let pending: u64 = bus.streams.iter().filter_map(|stream| stream.pending).sum();
        let what = format!("sees Redis at {}: {lag} entries not yet read, {pending} pending", sees.redis);
        checks.push(ok("daemon", what));
    }
}
