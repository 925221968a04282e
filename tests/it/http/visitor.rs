//! A person who looks at pages and presses buttons, as in a browser without a script.

use super::api::client::{Answer, Api};
use serde_json::Value;

/// Creates a token with which a person may decide.
pub fn new_token(api: &Api, who: &str) -> String {
    let said = api.site.run(&["--json", "token", "create", "--as", who, "--scope", "decide"]);
    let made: Value = serde_json::from_str(&said.out).expect("JSON");
    made["token"].as_str().expect("a token").to_owned()
}

/// A person with a session.
pub struct Visitor {
    cookie: String,
}

impl Visitor {
    /// Logs a person in.
    pub fn new(api: &Api, who: &str) -> Visitor {
        Visitor::with(api, &new_token(api, who))
    }

    /// Logs the owner of a token in.
    pub fn with(api: &Api, token: &str) -> Visitor {
        let form = "Content-Type: application/x-www-form-urlencoded\r\n";
        let begun = api.raw("POST /login", form, &format!("token={token}"));
        let cookie = begun.head.lines().find_map(|line| line.strip_prefix("set-cookie: ")).expect("a cookie");
        Visitor { cookie: format!("Cookie: {}\r\n", cookie.split(';').next().expect("a pair")) }
    }

    /// Returns a page, or the one it redirects to.
    pub fn page(&self, api: &Api, path: &str) -> Page {
        let Answer { status, body, head, .. } = api.raw(&format!("GET {path}"), &self.cookie, "");
        if let Some(next) = head.lines().find_map(|line| line.strip_prefix("location: ")).filter(|_| status == 303) {
            return self.page(api, next);
        }
        Page { path: path.to_owned(), status, head, body }
    }

    /// Presses a button of a form with these fields, and follows the redirect. A field may be filled several times.
    pub fn press(&self, api: &Api, page: &Page, decision: &str, filled: &[(&str, &str)]) -> Page {
        let (action, mut fields) = page.form(decision);
        fields.retain(|(known, _)| filled.iter().all(|(name, _)| name != known));
        fields.extend(filled.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        let body = form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
        let headers = format!("{}Content-Type: application/x-www-form-urlencoded\r\n", self.cookie);
        let answer = api.raw(&format!("POST {action}"), &headers, &body);
        match answer.head.lines().find_map(|line| line.strip_prefix("location: ")) {
            Some(next) if answer.status == 303 => self.page(api, next),
            _ => Page { path: action, status: answer.status, head: answer.head, body: answer.body },
        }
    }
}

/// A page as seen by a browser without a script.
pub struct Page {
    pub path: String,
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Page {
    /// Returns the address and the fields of the form with this button.
    pub fn form(&self, decision: &str) -> (String, Vec<(String, String)>) {
        let mut forms = self.body.split("<form").skip(1).filter_map(|rest| rest.split("</form>").next());
        let button = |form: &&str| match decision {
            "undo" => form.contains("action=\"/undo\""),
            _ => form.contains(&format!("name=\"decision\" value=\"{decision}\"")),
        };
        let form = forms.find(button).unwrap_or_else(|| panic!("no button {decision} at {}: {}", self.path, self.body));
        let mut fields = vec![];
        let tags = |html: &str| -> Vec<String> {
            html.split("<input").skip(1).filter_map(|rest| rest.split('>').next()).map(str::to_owned).collect()
        };
        // A field may stand elsewhere and name its form.
        let id = attribute(form.split('>').next().unwrap_or_default(), "id");
        let own = tags(form).into_iter().filter(|tag| attribute(tag, "form").is_none());
        let named = tags(&self.body).into_iter().filter(|tag| id.is_some() && attribute(tag, "form") == id);
        for tag in own.chain(named).collect::<Vec<_>>() {
            let tag = tag.as_str();
            let (name, value) = (attribute(tag, "name"), attribute(tag, "value").unwrap_or_default());
            let kind = attribute(tag, "type").unwrap_or_default();
            let chosen = tag.ends_with(" checked");
            let sent = match kind.as_str() {
                "radio" | "checkbox" => chosen,
                "text" | "search" | "" => false,
                _ => true,
            };
            fields.extend(name.filter(|_| sent).map(|name| (name, value)));
        }
        if decision != "undo" {
            fields.push(("decision".to_owned(), decision.to_owned()));
        }
        (attribute(form, "action").expect("an address"), fields)
    }

    /// Returns the links that begin like this.
    pub fn links(&self, to: &str) -> Vec<String> {
        let links = self.body.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next());
        links.filter(|link| link.starts_with(to)).map(str::to_owned).collect()
    }
}

fn attribute(tag: &str, name: &str) -> Option<String> {
    let rest = tag.split(&format!(" {name}=\"")).nth(1)?;
    Some(rest.split('"').next()?.replace("&#34;", "\"").replace("&amp;", "&"))
}
