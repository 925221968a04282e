//! The format for each kind of receiver. Anything quoted is plain text here: mentions, links or markup in it have no
//! effect.

use crate::domain::records::notification::{Notification, NotificationKind, Style};
use serde_json::{Map, Value, json};

/// Builds the body of a notification. `base` is the base URL of the pages, without a trailing slash; `topic` is ntfy's.
pub(super) fn body(style: Style, notice: &Notification, base: Option<&str>, topic: &str) -> Value {
    let link = base.map(|base| format!("{base}{}", notice.page));
    match style {
        Style::Standard | Style::Mail => json!({
            "type": notice.event, "timestamp": notice.timestamp.to_string(), "data": data(notice, link),
        }),
        Style::Cloudevents => json!({
            "specversion": "1.0", "id": notice.id, "source": "urn:feedbackd", "type": format!("feedbackd.{}", notice.event),
            "subject": notice.subject, "time": notice.timestamp.to_string(), "datacontenttype": "application/json",
            "data": data(notice, link),
        }),
        Style::Slack | Style::Mattermost => slack(notice, link),
        Style::Teams => teams(notice, link),
        Style::Ntfy => ntfy(notice, link, topic),
    }
}

/// Builds the data for programs: quotes only the titles and reasons that the notification names.
fn data(notice: &Notification, link: Option<String>) -> Value {
    let mut data = match serde_json::to_value(notice) {
        Ok(Value::Object(map)) => map,
        _ => Map::new(),
    };
    for named_elsewhere in ["id", "event", "timestamp", "page"] {
        data.shift_remove(named_elsewhere);
    }
    data.extend(link.map(|link| ("url".to_owned(), json!(link))));
    Value::Object(data)
}

fn slack(notice: &Notification, link: Option<String>) -> Value {
    let line = plain(&notice.line(), true);
    let text = link.as_ref().map_or_else(|| line.clone(), |link| format!("{line}\n{link}"));
    let mut blocks = vec![json!({ "type": "section", "text": { "type": "plain_text", "text": cut(&line, 2_900) } })];
    blocks.extend(link.map(|link| {
        json!({ "type": "actions", "elements": [
            { "type": "button", "text": { "type": "plain_text", "text": "View" }, "url": link }
        ] })
    }));
    json!({ "text": text, "blocks": blocks, "unfurl_links": false, "unfurl_media": false })
}

/// Builds an adaptive card, as posted by a Teams workflow.
fn teams(notice: &Notification, link: Option<String>) -> Value {
    let block = |text: &str, weight: &str| json!({ "type": "TextBlock", "text": plain(text, false), "weight": weight, "wrap": true });
    let mut body = vec![block(&notice.title, "bolder")];
    body.extend(notice.progress().map(|progress| block(&progress, "default")));
    body.extend(Some(block(&notice.text, "default")).filter(|_| !notice.text.is_empty()));
    let actions: Vec<Value> =
        link.into_iter().map(|link| json!({ "type": "Action.OpenUrl", "title": "View", "url": link })).collect();
    let card = json!({
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json", "type": "AdaptiveCard", "version": "1.4",
        "body": body, "actions": actions,
    });
    json!({ "type": "message", "attachments": [
        { "contentType": "application/vnd.microsoft.card.adaptive", "contentUrl": null, "content": card }
    ] })
}

fn ntfy(notice: &Notification, link: Option<String>, topic: &str) -> Value {
    let rest = [notice.progress().unwrap_or_default(), notice.text.clone()];
    let rest: Vec<String> = rest.into_iter().filter(|part| !part.is_empty()).collect();
    let priority =
        if matches!(notice.kind, NotificationKind::Overdue | NotificationKind::Rules | NotificationKind::Alerts) {
            4
        } else {
            3
        };
    let mut body = json!({
        "topic": topic, "title": notice.title, "message": if rest.is_empty() { notice.title.clone() } else { rest.join(". ") },
        "priority": priority, "tags": [notice.kind.as_str()],
    });
    if let Some(link) = link {
        body["click"] = json!(link);
    }
    body
}

/// Neutralizes mentions, links and markup: the start of each is followed by a zero-width character, or escaped as Slack
/// requires if `escaped`. Joins the lines.
fn plain(text: &str, escaped: bool) -> String {
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' if escaped => plain.push_str("&amp;"),
            '<' if escaped => plain.push_str("&lt;"),
            '>' if escaped => plain.push_str("&gt;"),
            '<' | '@' | '!' | '#' | '[' | ']' | '(' | ')' | '*' | '_' | '~' | '`' | '|' | '\\' | ':' => {
                plain.push(c);
                plain.push('\u{200b}');
            }
            c if c.is_control() => plain.push(' '),
            c => plain.push(c),
        }
    }
    plain
}

fn cut(text: &str, most: usize) -> String {
    text.chars().take(most).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hostile() -> Notification {
        let text = "<!channel> <!here> @here @channel @all <@U123> [click](https://evil.example) <https://evil.example|x> \
                    **b** https://evil.example/x ![i](https://evil.example/i.png)";
        Notification {
            title: text.into(),
            text: text.into(),
            ..Notification::test("x", "2026-01-20T09:00:00Z".parse().unwrap())
        }
    }

    #[test]
    fn nothing_that_was_quoted_has_an_effect_in_chat() {
        for style in [Style::Slack, Style::Mattermost, Style::Teams] {
            let said = body(style, &hostile(), Some("https://feedback.example.org"), "t").to_string();
            for mark in ["<!", "<@", "@here", "@channel", "@all", "](", "<http", "https://evil", "![", "**"] {
                assert!(!said.contains(mark), "{style:?}: {mark}: {said}");
            }
            assert!(said.contains("https://feedback.example.org/"), "{said}");
        }
        // ntfy shows plain text unless asked otherwise.
        let said = body(Style::Ntfy, &hostile(), None, "feedback");
        assert_eq!((&said["topic"], said.get("markdown"), said.get("click")), (&json!("feedback"), None, None));
    }

    #[test]
    fn bodies_are_thin() {
        let long = "<".repeat(400);
        let most = Notification { title: long.clone(), text: long, agents: vec!["a".repeat(100); 20], ..hostile() };
        for style in [Style::Standard, Style::Cloudevents, Style::Slack, Style::Teams, Style::Ntfy] {
            let size = body(style, &most, Some("https://feedback.example.org"), "t").to_string().len();
            assert!(size < 20_000, "{style:?}: {size}");
        }
        let said = body(Style::Standard, &most, None, "");
        assert_eq!(said.as_object().unwrap().keys().collect::<Vec<_>>(), ["type", "timestamp", "data"]);
        assert!(said["data"].get("url").is_none() && said["data"].get("id").is_none());
        let event = body(Style::Cloudevents, &most, None, "");
        assert_eq!((&event["specversion"], &event["type"]), (&json!("1.0"), &json!("feedbackd.test")));
    }
}
