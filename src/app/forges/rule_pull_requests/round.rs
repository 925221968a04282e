//! One round for one repository and agent: check, decide, act.

use super::gitea::Gitea;
use super::github::Github;
use super::gitlab::Gitlab;
use super::objects::Objects;
use super::repository::{Base, Commit, Repository};
use super::rules::RulePullRequest;
use crate::domain::intake::forge::Kind;
use crate::domain::rules::in_force::export::Format;
use crate::domain::rules::in_force::pull_request::{
    BaseFile, Branch, Draft, Step, Text, branch_name, closing_text, draft, message, step, text,
};
use crate::forges::history::{ApiClient, HistoryError, Watcher};
use crate::metrics::PullRequestOutcome;
use crate::ports::{Clock, ForgeApi};
use serde::Serialize;
use std::sync::Arc;

/// Repository files that are to hold an agent's rules.
pub struct TargetFiles {
    /// The forge's name in the configuration.
    pub forge: String,
    pub kind: Kind,
    /// `owner/name`
    pub repository: String,
    pub agent: String,
    /// The target branch; empty: the repository's default.
    pub base: String,
    pub files: Vec<Format>,
    /// Where people can read about rules, if there is such a place.
    pub pages: Option<String>,
    pub api: Box<dyn ForgeApi>,
    pub clock: Arc<dyn Clock>,
}

/// The result of a round.
#[derive(Clone, Debug, Serialize)]
pub struct Round {
    pub forge: String,
    pub repository: String,
    pub agent: String,
    pub branch: String,
    /// What was, or would be, done.
    #[serde(serialize_with = "word")]
    pub outcome: PullRequestOutcome,
    /// Why something was left alone.
    pub left_alone: Vec<String>,
    /// The page of the pull request, if there is one.
    pub page: Option<String>,
    pub title: String,
    pub body: String,
    pub files: Vec<FileChange>,
    /// Requests sent to the forge.
    pub requests: u64,
}

/// A file before and after.
#[derive(Clone, Debug, Serialize)]
pub struct FileChange {
    pub path: String,
    pub before: String,
    pub after: String,
}

fn word<S: serde::Serializer>(outcome: &PullRequestOutcome, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(outcome.into())
}

impl TargetFiles {
    /// Checks, and does what is missing; if `send` is false, only reports it.
    ///
    /// # Errors
    /// If the forge fails. A repeated call resumes.
    pub fn round(&self, offer: &RulePullRequest, watcher: &dyn Watcher, send: bool) -> Result<Round, HistoryError> {
        let asking = ApiClient::new(self.api.as_ref(), self.clock.as_ref(), watcher);
        let repository: Box<dyn Repository + '_> = match self.kind {
            Kind::Github => {
                Box::new(Github { objects: Objects::new(&asking, &self.repository), repository: &self.repository })
            }
            Kind::Gitea | Kind::Forgejo => Box::new(Gitea { objects: Objects::new(&asking, &self.repository) }),
            Kind::Gitlab | Kind::Gerrit => Box::new(Gitlab::new(&asking, &self.repository)),
        };
        let mut round = self.through(offer, repository.as_ref(), send)?;
        round.requests = asking.requests();
        Ok(round)
    }

    fn through(&self, offer: &RulePullRequest, repository: &dyn Repository, send: bool) -> Result<Round, HistoryError> {
        let base = repository.base(&self.base)?;
        let file = |format: &Format| Ok((*format, repository.file(&base.sha, format.path())?.found));
        let found = self.files.iter().map(file).collect::<Result<Vec<(Format, BaseFile)>, HistoryError>>()?;
        let draft = draft(&found, offer.section.as_deref());
        let name = branch_name(&self.agent);
        let branch = repository.branch(&name)?;
        let open = repository.pull(&name, true)?;
        let closed = match &open {
            None if !draft.files.is_empty() => repository.pull(&name, false)?,
            _ => None,
        };
        let text = text(&self.agent, &draft, &offer.facts, self.pages.as_deref());
        let step = step(&draft, &text.marker, &base.name, branch.as_ref(), open.as_ref(), closed.as_ref());
        let mut page = open.map(|pull| pull.page);
        if send && let Some(opened) = self.carry_out(&step, repository, &base, branch.as_ref(), &draft, &text)? {
            page = Some(opened);
        }
        let mut left_alone: Vec<String> = draft.left_alone.iter().map(|(path, why)| format!("{path}: {why}")).collect();
        let outcome = match step {
            Step::Nothing if left_alone.is_empty() => PullRequestOutcome::Unchanged,
            Step::Nothing => PullRequestOutcome::LeftAlone,
            Step::LeaveAlone(why) => {
                left_alone.push(why);
                PullRequestOutcome::LeftAlone
            }
            Step::Open { .. } => PullRequestOutcome::Opened,
            Step::Renew { .. } => PullRequestOutcome::Renewed,
            Step::Close { .. } => PullRequestOutcome::Closed,
        };
        let change = |file: crate::domain::rules::in_force::pull_request::FileChange| FileChange {
            path: file.path.to_owned(),
            before: file.before.unwrap_or_default(),
            after: file.after.unwrap_or_default(),
        };
        Ok(Round {
            forge: self.forge.clone(),
            repository: self.repository.clone(),
            agent: self.agent.clone(),
            branch: name,
            outcome,
            left_alone,
            page,
            title: text.title,
            body: text.body,
            files: draft.files.into_iter().map(change).collect(),
            requests: 0,
        })
    }

    /// Performs a step; returns the page of a pull request that was opened.
    fn carry_out(
        &self,
        step: &Step,
        repository: &dyn Repository,
        base: &Base,
        standing: Option<&Branch>,
        draft: &Draft,
        text: &Text,
    ) -> Result<Option<String>, HistoryError> {
        let name = branch_name(&self.agent);
        // Commits made meanwhile must not be lost.
        let unmoved = || match repository.branch(&name)?.as_ref() == standing {
            true => Ok(()),
            false => Err(HistoryError::Crossed),
        };
        let commit = |is_open: bool| {
            unmoved()?;
            let message = message(&self.agent, draft);
            let wanted = &draft.wanted;
            repository.commit(&Commit { base, branch: &name, standing, is_open, wanted, message: &message })
        };
        match step {
            Step::Nothing | Step::LeaveAlone(_) => {}
            Step::Open { commit: needed } => {
                if *needed {
                    commit(false)?;
                }
                return repository.open(&name, &base.name, text).map(Some);
            }
            Step::Renew { number, commit: needed, text: changed } => {
                if *needed {
                    commit(true)?;
                }
                if *changed {
                    repository.edit(*number, &base.name, text)?;
                }
            }
            Step::Close { number, branch } => {
                if let Some(number) = number {
                    repository.close(*number, &closing_text(&self.agent))?;
                }
                if *branch {
                    unmoved()?;
                    repository.remove(&name)?;
                }
            }
        }
        Ok(None)
    }
}
