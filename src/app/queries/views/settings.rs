//! Display settings.

use crate::domain::reporting::report::Limits;
use crate::reports::effectiveness::MeasurePolicy;
use crate::text::ids::CommitId;

/// Display settings.
#[derive(Clone, Debug, Default)]
pub struct ViewSettings {
    /// The URL of the store's commits, with `{commit}` for the id; none if they have no page.
    pub web_url: Option<String>,
    /// Returns how rules are measured.
    pub measure: MeasurePolicy,
    /// Limits for reports.
    pub limits: Limits,
}

impl ViewSettings {
    /// Returns the URL of a commit.
    pub fn commit_url(&self, commit: &CommitId) -> Option<String> {
        let url = self.web_url.as_deref()?.trim_end_matches('/');
        match url.contains("{commit}") {
            true => Some(url.replace("{commit}", &commit.0)),
            false => Some(format!("{url}/commit/{}", commit.0)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commits_are_shown_as_forges_do_unless_something_else_is_said() {
        let url = |web_url: &str| {
            let showing = ViewSettings { web_url: Some(web_url.to_owned()), ..ViewSettings::default() };
            showing.commit_url(&CommitId("abc".into())).unwrap_or_default()
        };
        assert_eq!(url("https://git.example.org/store/"), "https://git.example.org/store/commit/abc");
        assert_eq!(url("https://git.example.org/?h={commit}"), "https://git.example.org/?h=abc");
        assert_eq!(ViewSettings::default().commit_url(&CommitId("abc".into())), None);
    }
}
