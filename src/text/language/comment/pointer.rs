//! How people name a place in the reviewed work: files, lines, numbered parts, requirements, parts of a document.
//!
//! Pattern fragments for verbose mode, case-insensitive; the caller decides whether a place is a pointer or part of the
//! demand.

/// A file, with or without a line.
pub(super) const FILE: &str = r"(?:[\w./-]*\w\.(?:py|rs|tsx?|jsx?|mjs|go|java|kts?|rb|php|cs|cpp|cc|c|h|hpp|sql|ya?ml|json|toml|md|rst|adoc|txt|html?|s?css|vue|svelte|sh|tf|xml|proto|gradle|ini|cfg|conf|lock|csv|swift|scala|exs?|clj|lua|pl|ipynb|feature|puml|drawio|pdf|docx?|xlsx?|env|mod|sum|graphql|erb|dart)(?::\d+(?:[-:]\d+)*|\#l\d+(?:-l?\d+)?|\ l\d+)?|[\w./-]*\w\.\w{1,5}(?::\d+(?:[-:]\d+)*|\ l\d+)|(?:dockerfile|makefile|readme|changelog)(?::\d+)?)";

/// A numbered part: "section 2.3", "line 42", "Zeile 7".
pub(super) const PART: &str = r"(?:(?:section|sec|chapter|ch|lines?|row|page|pg|fig|figure|step|story|stories|task|milestone|item|goal|table|appendix|sprint|wave|week|phase|release|decision|req|requirement|para|paragraph|slide|hunk|epic|objective|point|abschnitt|zeile|seite|kapitel|schritt|ziel|abbildung|ligne|étape|chapitre|objectif|sección|línea|página|paso|objetivo|capítulo|linha|seção|passo)\.?\ ?\#?\d+(?:\.\d+)*[a-z]?(?:\ ?(?:[-–&+,]|and)\ ?\d+)*|appendix\ (?-i:[A-Z]))";

/// A requirement, a ticket, a task: "FR-12", "T11". Upper case only, or any word with a number would match.
pub(super) const ID: &str = r"(?-i:[A-Z]{1,6}-\d+(?:\.\d+)*|[TL]\d{1,4}|(?i:fr|nfr|us|adr|req|ac)-\d+)";

/// A named part of a document or change.
pub(super) const NAMED: &str = r"(?:(?:the\ |our\ )?(?:(?:first|second|third|fourth|last|next|new|old|top|bottom|component|sequence|class|deployment|context|data|logical|physical|rollout|release|plan|user|test|main|other)\ ){1,2}(?:view|diagram|hunk|class|case|list|table|sheet|notes|plan|chart|block|paragraph|section|chapter|page|file|test|method|function|module|story|step|flow)|the\ (?:[\w-]+\ )?(?:intro|introduction|summary|appendix|runbook|checklist|gantt|teardown|glossary|overview|abstract|header|footer|hunk|diagram|sheet|changelog|readme|conclusion|roadmap|backlog|board|setup|fixtures?))";
