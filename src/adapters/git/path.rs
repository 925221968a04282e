//! Which paths may be written. Stricter than Git: what one system accepts, another rejects on clone.
//!
//! This is the last gate, not the first: external names are made safe long before (`domain::ids::safe_name`).

use crate::ports::StoreError;

/// The longest path, in bytes.
const MAX_PATH: usize = 1024;
/// The longest component, in bytes: the limit of most file systems.
const MAX_COMPONENT: usize = 255;

/// Rejects a path that is not safe on every system. Components are printable ASCII without `\ : * ? " < > |`, never
/// empty, `.`, `..`, `.git` or another name with a meaning to Git, and end neither in a dot nor in a space.
pub fn check(path: &str) -> Result<(), StoreError> {
    let reason = if path.len() > MAX_PATH {
        Some("it is too long")
    } else {
        path.split('/').find_map(|component| refusal(component.as_bytes()))
    };
    match reason {
        None => Ok(()),
        Some(reason) => Err(StoreError::Git(format!("the path {path:?} cannot be stored: {reason}"))),
    }
}

fn refusal(component: &[u8]) -> Option<&'static str> {
    let lower = component.to_ascii_lowercase();
    match lower.as_slice() {
        [] => Some("a component is empty"),
        b"." | b".." => Some("`.` and `..` are not names"),
        b".git" | b".gitmodules" => Some("the name is reserved by Git"),
        // The Windows short name of `.git`.
        name if name.starts_with(b"git~") => Some("the name is reserved by Git"),
        name if name.len() > MAX_COMPONENT => Some("a component is too long"),
        name if name.iter().any(|c| !(0x20..0x7f).contains(c)) => Some("only printable ASCII characters are allowed"),
        name if name.iter().any(|c| br#"\:*?"<>|"#.contains(c)) => Some("a character is reserved on other systems"),
        [.., b'.' | b' '] => Some("a component ends in a dot or a space"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_may_be_written() {
        for path in ["README.md", "feedback/decisions/HITL-3/2026/01/12/10/vdec-3.yaml", ".gitattributes", "a b"] {
            assert!(check(path).is_ok(), "{path}");
        }
    }

    #[test]
    fn hostile_paths_are_refused() {
        let long = "a".repeat(256);
        let deep = "a/".repeat(600);
        for path in [
            "",
            "/",
            "/a",
            "a/",
            "a//b",
            ".",
            "..",
            "a/../b",
            "a/./b",
            ".git",
            ".GIT/config",
            "a/.Git/b",
            "GIT~1/x",
            ".gitmodules",
            "a\\..\\b",
            "a\nb",
            "a\0b",
            "a\x7fb",
            "x:y",
            "é",
            "a\u{200b}b",
            ".g\u{200c}it",
            "a\u{202e}b",
            "a.",
            "a ",
            "a*",
            long.as_str(),
            deep.as_str(),
        ] {
            assert!(check(path).is_err(), "{path:?}");
        }
    }
}
