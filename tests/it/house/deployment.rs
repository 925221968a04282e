//! The deployed files request no more rights than they need.

use feedbackd::text::yaml;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The maximum exposure of a unit, by systemd's own measure: 0 is none, 10 is full.
const MOST_EXPOSED: f64 = 1.5;

#[test]
fn the_units_are_hardly_exposed() {
    for unit in ["feedbackd.service", "feedbackd@.service"] {
        let asked = Command::new("systemd-analyze")
            .args(["security", "--offline=true", "--no-pager"])
            .arg(deployed(unit))
            .output();
        let Ok(output) = asked else {
            eprintln!("systemd-analyze is not installed: not checked");
            return;
        };
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let Some((_, level)) = said.split_once("Overall exposure level for ") else {
            let why = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(why.contains("offline"), "{unit}: {said}{why}");
            eprintln!("this systemd-analyze reads no files: not checked");
            return;
        };
        let level: f64 = level.split_whitespace().nth(1).and_then(|word| word.parse().ok()).expect("a number");
        println!("{unit}: {level}");
        assert!(level <= MOST_EXPOSED, "{unit} is exposed at {level}:\n{said}");
    }
}

#[test]
fn both_units_are_confined_alike() {
    let settings = |unit: &str| -> Vec<String> {
        let text = std::fs::read_to_string(deployed(unit)).expect("the unit");
        let own = ["Environment=", "StateDirectory=", "WorkingDirectory=", "LoadCredential=", "Description=", "#"];
        text.lines().filter(|line| !own.iter().any(|name| line.starts_with(name))).map(str::to_owned).collect()
    };
    let (one, template) = (settings("feedbackd.service"), settings("feedbackd@.service"));
    assert_eq!(
        one.iter().filter(|l| !l.is_empty()).collect::<Vec<_>>(),
        template.iter().filter(|l| !l.is_empty()).collect::<Vec<_>>()
    );
}

#[test]
fn the_units_hand_over_every_credential_that_the_configuration_takes() {
    let source = include_str!("../../../src/config/load.rs");
    let known: Vec<&str> =
        source.lines().filter(|line| line.contains("&mut config.")).filter_map(|line| line.split('"').nth(3)).collect();
    assert!(known.len() >= 11, "{known:?}");
    for (unit, prefix) in [("feedbackd.service", "feedbackd."), ("feedbackd@.service", "feedbackd.%i.")] {
        let text = std::fs::read_to_string(deployed(unit)).expect("the unit");
        for name in &known {
            assert!(text.contains(&format!("LoadCredential={name}:{prefix}{name}\n")), "{unit}: {name}");
        }
    }
}

#[test]
fn containers_have_no_rights_and_write_nowhere_else() {
    let text = std::fs::read_to_string(deployed("compose.yaml")).expect("the file");
    let compose: Value = yaml::parse(&text).expect("YAML");
    for (name, service) in compose["services"].as_object().expect("services") {
        assert_eq!(service["read_only"], true, "{name}");
        assert_eq!(service["cap_drop"], serde_json::json!(["ALL"]), "{name}");
        assert_eq!(service["security_opt"], serde_json::json!(["no-new-privileges:true"]), "{name}");
        assert!(service["mem_limit"].is_string() && service["pids_limit"].is_u64(), "{name}");
        assert!(service["privileged"].is_null() && service["cap_add"].is_null(), "{name}");
        for port in service["ports"].as_array().into_iter().flatten() {
            assert!(port.as_str().is_some_and(|port| port.starts_with("127.0.0.1:")), "{name}: {port}");
        }
        if service["image"] != "feedbackd" {
            assert!(service["user"].is_string(), "{name}");
        }
    }
    let container = std::fs::read_to_string(deployed("Containerfile")).expect("the file");
    let user = container.lines().rev().find_map(|line| line.strip_prefix("USER ")).expect("a user");
    assert!(user.parse::<u32>().is_ok_and(|id| id > 0), "{user}");
}

#[test]
fn every_alert_says_how_urgent_it_is_and_what_to_do_and_is_tested() {
    let read = |name: &str| std::fs::read_to_string(deployed(name)).expect("the file");
    let alerts: Value = yaml::parse(&read("prometheus/alerts.yaml")).expect("YAML");
    let tests = read("prometheus/alerts_test.yaml");
    let rules = alerts["groups"][0]["rules"].as_array().expect("rules");
    for rule in rules {
        let name = rule["alert"].as_str().expect("a name");
        assert!(matches!(rule["labels"]["severity"].as_str(), Some("page" | "ticket")), "{name}");
        let says = |what: &str| rule["annotations"][what].as_str().is_some_and(|text| text.len() > 20);
        assert!(says("summary") && says("action"), "{name}");
        assert!(tests.contains(&format!("- alertname: {name}\n")), "{name} has no test");
    }
    let promtool =
        |arguments: &[&str]| Command::new("promtool").args(arguments).current_dir(deployed("prometheus")).output().ok();
    let Some(checked) = promtool(&["check", "rules", "alerts.yaml"]) else {
        return eprintln!("promtool is not installed: the alerts are not tested");
    };
    assert!(checked.status.success(), "{checked:?}");
    let tested = promtool(&["test", "rules", "alerts_test.yaml"]).expect("promtool");
    assert!(tested.status.success(), "{}", String::from_utf8_lossy(&tested.stderr));
}

/// `make chart`, which is no part of `make check`, holds everything else about the chart.
#[test]
fn the_chart_has_the_version_of_the_program_and_the_same_alerts_and_dashboard() {
    let read = |name: &str| std::fs::read_to_string(deployed(name)).expect("the file");
    let chart: Value = yaml::parse(&read("helm/feedbackd/Chart.yaml")).expect("YAML");
    for key in ["version", "appVersion"] {
        assert_eq!(chart[key], env!("CARGO_PKG_VERSION"), "Chart.yaml: {key}");
    }
    for (copy, source) in
        [("files/alerts.yaml", "prometheus/alerts.yaml"), ("files/dashboard.json", "grafana/feedbackd.json")]
    {
        let copied = read(&format!("helm/feedbackd/{copy}"));
        assert!(copied == read(source), "helm/feedbackd/{copy} differs from {source}: UPDATE_CHART=1 make chart");
    }
}

fn deployed(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("deploy").join(name)
}
