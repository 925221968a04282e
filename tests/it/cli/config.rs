//! The configuration as its users see it: precedence, rejections and their wording, and that the shipped files match
//! the program.

use feedbackd::config::{
    Config, ConfigError, DEFAULT_TOML, Environment, LogFormat, Origin, Secret, load, markdown, schema,
};
use feedbackd::text::ids::Gate;
use std::collections::BTreeMap;
use std::path::PathBuf;

#[test]
fn the_environment_wins_over_the_file_and_the_file_over_the_defaults() {
    let file = File::new("[redis]\nblock_ms = 100\nclaim_every_ms = 200\n");
    let config =
        file.load(&[("FEEDBACKD__REDIS__BLOCK_MS", "300"), ("FEEDBACKD__STORE__PATH", "/tmp/s.git")]).expect("valid");
    assert_eq!(config.redis.block_ms, 300);
    assert_eq!(config.redis.claim_every_ms, 200);
    assert_eq!(config.redis.claim_idle_ms, 60_000);

    let origins: BTreeMap<_, _> = config.effective().into_iter().map(|s| (s.key, s.origin)).collect();
    assert_eq!(origins["redis.block_ms"], Origin::Environment("FEEDBACKD__REDIS__BLOCK_MS".into()));
    assert_eq!(origins["redis.claim_every_ms"], Origin::File(file.path.clone()));
    assert_eq!(origins["redis.claim_idle_ms"], Origin::Default);
}

#[test]
fn a_value_from_the_environment_is_read_as_its_key_expects() {
    let config = from_env(&[
        ("FEEDBACKD__REDIS__TENANT", "42"),
        ("FEEDBACKD__REDIS__CONSUMER", "true"),
        ("FEEDBACKD__INTAKE__BATCH_MAX", " 64 "),
        ("FEEDBACKD__EVALUATOR__SIMILAR_THRESHOLD", "1"),
        ("FEEDBACKD__LOG__FORMAT", "json"),
        ("FEEDBACKD__LOG__LEVEL", "info,feedbackd::app=debug"),
        ("FEEDBACKD__INTAKE__CORRECTIONS_ROOT", "/srv/a,b"),
    ])
    .expect("valid");
    assert_eq!(config.redis.key("asdlc:events"), "tenant:42:asdlc:events");
    assert_eq!(config.redis.consumer_name(), "true");
    assert_eq!(config.intake.batch_max, 64);
    assert_eq!(config.evaluator.similar_threshold, 1.0);
    assert_eq!(config.log.format, LogFormat::Json);
    assert_eq!(config.log.level, "info,feedbackd::app=debug");
    assert_eq!(config.intake.corrections_root, PathBuf::from("/srv/a,b"));
}

#[test]
fn a_file_names_variables_and_the_environment_has_lists() {
    let file = File::new(
        "[redis]\nurl = \"redis://${DB_HOST}/${DB:-2}\"\nblock_ms = \"${BLOCK}\"\n[notify]\nmail_from = \"a$$b@example.org\"\n\
         smtp_host = \"${SMTP:-mail.example.org}\"\n[[forges.connected]]\nname = \"github\"\nkind = \"github\"\n\
         secret_files = [\"${KEYS}/a\"]\n",
    );
    let config = file.load(&[("DB_HOST", "db"), ("BLOCK", "300"), ("KEYS", "/run/keys")]).expect("valid");
    assert_eq!(config.redis.url.expose(), "redis://db/2");
    assert_eq!((config.redis.block_ms, config.notify.mail_from.as_str()), (300, "a$b@example.org"));
    assert_eq!(config.forges.connected[0].secret_files, [PathBuf::from("/run/keys/a")]);
    let origins: BTreeMap<_, _> = config.effective().into_iter().map(|s| (s.key, s.origin)).collect();
    assert_eq!(origins["redis.block_ms"], Origin::Environment("BLOCK".into()));
    assert_eq!(origins["redis.url"], Origin::File(file.path.clone()));

    let error = file.load(&[("DB_HOST", "db"), ("BLOCK", "300")]).expect_err("a variable is missing").to_string();
    assert!(error.contains("forges.connected") && error.contains("KEYS is not set"), "{error}");

    let list = "[{ name = \"hub\", kind = \"github\", secret_files = [\"/k\"] }]";
    let config = from_env(&[("FEEDBACKD__FORGES__CONNECTED", list)]).expect("valid");
    assert_eq!(config.forges.connected[0].name, "hub");
    let error = from_env(&[("FEEDBACKD__FORGES__CONNECTED", "hub")]).expect_err("no list").to_string();
    assert!(error.contains("FEEDBACKD__FORGES__CONNECTED"), "{error}");
}

#[test]
fn what_does_not_suit_the_mode_of_redis_is_refused() {
    let refused = |variables: &[(&str, &str)]| from_env(variables).expect_err("refused").to_string();
    let cluster = ("FEEDBACKD__REDIS__MODE", "cluster");
    insta::assert_snapshot!(refused(&[cluster, ("FEEDBACKD__REDIS__URL", "redis://a:1,redis://b:1/1")]), @r#"
    the configuration has 2 problems:
      redis.url (FEEDBACKD__REDIS__URL): found the database 1 in the environment; allowed: no database number with redis.mode = "cluster": a Redis Cluster has only database 0
        hint: leave the number out
      redis.tenant (FEEDBACKD__REDIS__TENANT): found no tenant in the default; allowed: a tenant with redis.mode = "cluster"
        hint: a Redis Cluster keeps the keys of one tenant on one server: `tenant:{<id>}:...`
    "#);
    insta::assert_snapshot!(refused(&[("FEEDBACKD__REDIS__MODE", "sentinel"), ("FEEDBACKD__REDIS__URL", "unix:///s")]), @r#"
    the configuration has 2 problems:
      redis.url (FEEDBACKD__REDIS__URL): found a socket in the environment; allowed: redis:// or rediss:// with redis.mode = "sentinel" or "cluster"
        hint: Sentinels and nodes of a cluster are found by host and port
      redis.sentinel_master (FEEDBACKD__REDIS__SENTINEL_MASTER): found no name in the default; allowed: a name with redis.mode = "sentinel"
        hint: it is the one after `sentinel monitor` in the Sentinels' configuration
    "#);
    insta::assert_snapshot!(refused(&[("FEEDBACKD__REDIS__SENTINEL_MASTER", "x")]), @r#"
    the configuration has a problem:
      redis.sentinel_master (FEEDBACKD__REDIS__SENTINEL_MASTER): found `x` in the environment; allowed: empty, unless redis.mode is "sentinel"
        hint: set redis.mode = "sentinel" if redis.url names Sentinels
    "#);
    insta::assert_snapshot!(refused(&[("FEEDBACKD__REDIS__HASH_TAGS", "true")]), @r#"
    the configuration has a problem:
      redis.hash_tags (FEEDBACKD__REDIS__HASH_TAGS): found `true` without a tenant in the environment; allowed: false, or true together with redis.tenant
        hint: only the tenant is written in braces
    "#);
    let error = refused(&[("FEEDBACKD__REDIS__MODE", "ring")]);
    assert!(error.contains("single, sentinel together with redis.sentinel_master, or cluster"), "{error}");

    let config = from_env(&[cluster, ("FEEDBACKD__REDIS__TENANT", "acme")]).expect("valid");
    assert_eq!(config.redis.key("asdlc:events"), "tenant:{acme}:asdlc:events");
}

#[test]
fn other_variables_are_none_of_its_business() {
    from_env(&[("FEEDBACKD_LOG", "x"), ("REDIS__URL", "x"), ("FEEDBACKDX__A__B", "x")]).expect("valid");
}

#[test]
fn a_variable_with_single_underscores_is_refused_and_the_right_one_named() {
    let error =
        from_env(&[("FEEDBACKD_REDIS_URL", "redis://elsewhere")]).expect_err("nobody would read it").to_string();
    assert!(error.contains("FEEDBACKD_REDIS_URL") && error.contains("FEEDBACKD__REDIS__URL"), "{error}");
    // What a cluster sets for a service of our name is no mistake.
    from_env(&[("FEEDBACKD_PORT", "tcp://10.0.0.1:9464"), ("FEEDBACKD_SERVICE_HOST", "10.0.0.1")]).expect("valid");
}

#[test]
fn what_was_read_is_named() {
    let file = File::new("");
    let config = file.load(&[("FEEDBACKD__REDIS__BLOCK_MS", "300")]).expect("valid");
    assert_eq!(config.read_from(), (Some(file.path.as_path()), vec!["FEEDBACKD__REDIS__BLOCK_MS"]));
}

#[test]
fn gates_may_be_spelled_as_publishers_do_and_are_added_to_the_defaults() {
    let file = File::new("[intake.gate_agents]\nhitl_2_design = \"architect\"\n7 = \"docs-agent\"\n");
    let config = file.load(&[("FEEDBACKD__INTAKE__GATE_AGENTS__HITL_3", "scheduler")]).expect("valid");
    let agent = |n| config.intake.gate_agents.get(&Gate::new(n).expect("a gate")).map(String::as_str);
    assert_eq!(agent(1), Some("prd-agent"));
    assert_eq!(agent(2), Some("architect"));
    assert_eq!(agent(3), Some("scheduler"));
    assert_eq!(agent(7), Some("docs-agent"));
}

#[test]
fn every_problem_is_named_at_once_with_what_is_allowed() {
    let file = File::new(
        "[redis]\nurl = \"http://:hunter2@db\"\nblock_ms = -1\nblok_ms = 5\nresponse_timeout_ms = 100\n\
         [log]\nformat = \"xml\"\n[evaluator]\nsimilar_at = nan\n[intake.gate_agents]\nHITL-2 = \"\"\nfoo = \"x\"\n[cache]\n",
    );
    let error = file
        .load(&[
            ("FEEDBACKD__INTAKE__BATCH_MAX", "many"),
            ("FEEDBACKD__HTTP__LISTEN", "localhost:9464"),
            ("FEEDBACKD__REDIS__PASWORD_FILE", "/x"),
        ])
        .expect_err("invalid");
    let text = error.to_string().replace(&file.path.display().to_string(), "FILE");
    insta::assert_snapshot!(text, @r#"
    the configuration has 12 problems:
      cache (FEEDBACKD__CACHE): found an unknown key in the file FILE; allowed: the sections redis, store, remote, state, intake, privacy, evaluator, proposals, review, rules, effect, report, embedder, knowledge, model, refine, actions, http, review_ui, log, traces, shutdown, notify, forges
        hint: remove it; `feedbackd config reference` lists every key
      evaluator.similar_threshold (FEEDBACKD__EVALUATOR__SIMILAR_THRESHOLD): found `NaN` in the file FILE; allowed: above 0, at most 1 (calibrated similarity)
        hint: 0.8 means that about four of five such pairs mean the same
      http.listen (FEEDBACKD__HTTP__LISTEN): found `localhost:9464` in the environment; allowed: an IP address and a port, such as 127.0.0.1:9464 or [::1]:9464
        hint: write 127.0.0.1 for localhost; health and metrics have no authentication, so keep it on a loopback address
      intake.batch_max (FEEDBACKD__INTAKE__BATCH_MAX): found `many` in the environment; allowed: 1 to 512 (entries)
      intake.gate_agents.foo (FEEDBACKD__INTAKE__GATE_AGENTS__FOO): found an unknown key in the file FILE; allowed: a gate such as `HITL-2`
        hint: remove it; `feedbackd config reference` lists every key
      log.format (FEEDBACKD__LOG__FORMAT): found `xml` in the file FILE; allowed: text or json
      redis.block_ms (FEEDBACKD__REDIS__BLOCK_MS): found `-1` in the file FILE; allowed: 1 to 60000 (milliseconds)
        hint: 0 would wait forever
      redis.blok_ms (FEEDBACKD__REDIS__BLOK_MS): found an unknown key in the file FILE; allowed: in `redis`: url, password_file, mode, sentinel_master, sentinel_user, sentinel_password_file, ca_file, certificate_file, key_file, tenant, hash_tags, group, consumer, hitl_stream, dispatcher_stream, review_stream, turn_stream, refinement_stream, action_stream, iteration_stream, claim_idle_ms, claim_every_ms, block_ms, response_timeout_ms
        hint: did you mean `redis.block_ms`?
      redis.pasword_file (FEEDBACKD__REDIS__PASWORD_FILE): found an unknown key in the environment; allowed: in `redis`: url, password_file, mode, sentinel_master, sentinel_user, sentinel_password_file, ca_file, certificate_file, key_file, tenant, hash_tags, group, consumer, hitl_stream, dispatcher_stream, review_stream, turn_stream, refinement_stream, action_stream, iteration_stream, claim_idle_ms, claim_every_ms, block_ms, response_timeout_ms
        hint: did you mean `FEEDBACKD__REDIS__PASSWORD_FILE`?
      redis.url (FEEDBACKD__REDIS__URL): found `http://***@db` in the file FILE; allowed: redis://, rediss://, redis+unix:// or unix:// and an address, or several separated by commas
        hint: for example redis://127.0.0.1:6379/0
      redis.response_timeout_ms (FEEDBACKD__REDIS__RESPONSE_TIMEOUT_MS): found `100` in the file FILE; allowed: 500 to 120000 (milliseconds)
        hint: if it is too small, a busy server counts as unreachable
      intake.gate_agents.HITL-2 (FEEDBACKD__INTAKE__GATE_AGENTS__HITL_2): found `` in the file FILE; allowed: an agent's name for each gate
        hint: for example HITL-2 = "design-agent"
    "#);
}

/// A kind left out of the build is not a typo.
#[test]
fn a_kind_that_was_not_compiled_in_says_how_to_get_it() {
    let file = File::new(
        "[embedder]\nkind = \"transformer\"\npath = \"/srv/minilm\"\n[knowledge]\nkind = \"usearch\"\n\
                   [traces]\nendpoint = \"http://127.0.0.1:4318\"\n",
    );
    let found = file.load(&[]).map(drop).map_err(|e| e.to_string());
    let said = |hint: &str| found.as_ref().is_err_and(|text| text.contains(&format!("\n    hint: {hint}")));
    let without = |kind: &str, feature: &str| {
        said(&format!(
            "this program was built without {kind}; `cargo build --release --features {feature}` builds one with it"
        ))
    };
    assert_eq!(without("transformer", "minilm"), !cfg!(feature = "minilm"), "{found:?}");
    assert_eq!(without("usearch", "usearch"), !cfg!(feature = "usearch"), "{found:?}");
    assert_eq!(without("OpenTelemetry", "otel"), !cfg!(feature = "otel"), "{found:?}");
    assert_eq!(found.is_ok(), cfg!(all(feature = "minilm", feature = "usearch", feature = "otel")), "{found:?}");
    if cfg!(feature = "minilm") {
        let nowhere = from_env(&[("FEEDBACKD__EMBEDDER__KIND", "transformer")]).expect_err("no folder").to_string();
        assert!(nowhere.contains("embedder.path"), "{nowhere}");
    }
}

#[test]
fn limits_hold_at_both_ends() {
    for (variable, good, bad) in [
        ("FEEDBACKD__INTAKE__BATCH_WAIT_MS", vec!["0", "5"], vec!["6", "-1", "1.5", ""]),
        ("FEEDBACKD__INTAKE__BATCH_MAX", vec!["1", "512"], vec!["0", "513", "18446744073709551616"]),
        ("FEEDBACKD__EVALUATOR__SIMILAR_THRESHOLD", vec!["0.01", "1"], vec!["0", "1.01", "NaN", "inf", "-0.5"]),
        ("FEEDBACKD__REDIS__RESPONSE_TIMEOUT_MS", vec!["500", "120000"], vec!["499", "120001"]),
        ("FEEDBACKD__INTAKE__MAX_FIELD_BYTES", vec!["1024", "67108864"], vec!["1023", "67108865"]),
        ("FEEDBACKD__INTAKE__MAX_NESTING", vec!["4", "100"], vec!["3", "101"]),
        ("FEEDBACKD__INTAKE__MAX_LIST_ITEMS", vec!["100", "1000000"], vec!["99", "1000001"]),
        ("FEEDBACKD__INTAKE__MAX_TAGS", vec!["1", "10000"], vec!["0", "10001"]),
        ("FEEDBACKD__INTAKE__MAX_AGENTS", vec!["1", "10000"], vec!["0", "10001"]),
        ("FEEDBACKD__INTAKE__MAX_SESSIONS", vec!["10", "1000000"], vec!["9", "1000001"]),
        ("FEEDBACKD__INTAKE__MAX_GATE_REQUEST_BYTES", vec!["1024", "16777216"], vec!["1023", "16777217"]),
        ("FEEDBACKD__REDIS__TENANT", vec!["", "acme-1"], vec!["a:b", "a b", "../x", "{a}"]),
        ("FEEDBACKD__REDIS__DISPATCHER_STREAM", vec!["events"], vec!["", "a b", "asdlc:events:hitl_decisions"]),
        (
            "FEEDBACKD__REDIS__REVIEW_STREAM",
            vec!["reviews"],
            vec!["", "a b", "asdlc:events:hitl_decisions", "asdlc:events"],
        ),
        ("FEEDBACKD__HTTP__LISTEN", vec!["[::1]:1", "0.0.0.0:80"], vec!["9464", "127.0.0.1", "localhost:80"]),
        ("FEEDBACKD__HTTP__HOSTS", vec!["", "a.example, 192.0.2.7"], vec!["http://a.example", "a.example:80", "*"]),
        ("FEEDBACKD__HTTP__MAX_CONNECTIONS", vec!["8", "2000"], vec!["7", "2001"]),
        ("FEEDBACKD__HTTP__MAX_CONNECTIONS_PER_CLIENT", vec!["1", "2000"], vec!["0", "2001"]),
        ("FEEDBACKD__HTTP__REQUESTS_PER_SECOND", vec!["1", "100000"], vec!["0", "100001"]),
        ("FEEDBACKD__HTTP__MAX_HEAD_BYTES", vec!["8192", "262144"], vec!["8191", "262145"]),
        ("FEEDBACKD__HTTP__MAX_BODY_BYTES", vec!["1024", "67108864"], vec!["1023", "67108865"]),
        ("FEEDBACKD__REDIS__CERTIFICATE_FILE", vec![""], vec!["shown.pem"]),
        ("FEEDBACKD__STORE__PATH", vec!["a b/c.git"], vec!["", "a\u{FFFD}"]),
        ("FEEDBACKD__STORE__COMPRESSION_LEVEL", vec!["1", "12"], vec!["0", "13", "4294967297"]),
        ("FEEDBACKD__TRACES__UNTRACED_SHARE", vec!["0", "1"], vec!["-0.1", "1.1", "NaN"]),
        ("FEEDBACKD__TRACES__ATTRIBUTES", vec!["", "a.b=c, d=e"], vec!["a", "=b", "a="]),
        ("FEEDBACKD__LOG__LEVEL", vec!["trace", "warn,redis=error"], vec!["", "a=b=c"]),
    ] {
        for value in good {
            from_env(&[(variable, value)]).unwrap_or_else(|e| panic!("{variable}={value:?}: {e}"));
        }
        for value in bad {
            let error = from_env(&[(variable, value)]).expect_err(value);
            assert!(error.to_string().contains(variable), "{variable}={value:?}: {error}");
            assert_eq!(problems(error), 1, "{variable}={value:?}");
        }
    }
}

#[test]
fn files_that_cannot_be_read_say_who_named_them() {
    let missing = Environment::from([("FEEDBACKD_CONFIG".to_owned(), "/nowhere/config.toml".to_owned())]);
    let error = load(None, &missing).expect_err("missing").to_string();
    assert!(error.contains("/nowhere/config.toml") && error.contains("FEEDBACKD_CONFIG"), "{error}");

    let error = File::new("[redis\n").load(&[]).expect_err("no TOML");
    assert!(matches!(&error, ConfigError::Syntax { message, .. } if message.contains("line 1")), "{error}");
}

#[test]
fn the_file_named_on_the_command_line_wins_over_the_variable() {
    let file = File::new("[redis]\ntenant = \"acme\"\n");
    let config = file.load(&[("FEEDBACKD_CONFIG", "/nowhere/config.toml")]).expect("valid");
    assert_eq!(config.redis.tenant, "acme");
}

#[test]
fn secrets_are_masked_wherever_the_configuration_is_shown() {
    let config = from_env(&[("FEEDBACKD__REDIS__URL", "redis://me:hunter2@db:6379/0")]).expect("valid");
    assert_eq!(config.redis.url.expose(), "redis://me:hunter2@db:6379/0");
    let shown = format!("{config:?} {:?} {}", config.effective(), config.redis.url);
    assert!(!shown.contains("hunter2"), "{shown}");
    assert!(shown.contains("redis://***@db:6379/0"), "{shown}");

    let error = from_env(&[("FEEDBACKD__REDIS__URL", "me:hunter2@db")]).expect_err("no scheme");
    assert!(!format!("{error} {error:?}").contains("hunter2"), "{error:?}");
}

#[test]
fn the_password_comes_from_its_file_or_from_systemd() {
    let dir = tempfile::tempdir().expect("a directory");
    std::fs::write(dir.path().join("redis_password"), "hunter2\n").expect("written");
    let path = dir.path().display().to_string();

    let config = from_env(&[("CREDENTIALS_DIRECTORY", &path)]).expect("valid");
    assert_eq!(config.redis.password().expect("readable"), Some(Secret::new("hunter2")));
    let setting = config.effective().into_iter().find(|s| s.key == "redis.password_file").expect("listed");
    assert_eq!(setting.origin, Origin::Credential);

    let named = [("CREDENTIALS_DIRECTORY", path.as_str()), ("FEEDBACKD__REDIS__PASSWORD_FILE", "/nowhere")];
    let error = from_env(&named).expect("valid").redis.password().expect_err("missing").to_string();
    assert!(error.contains("/nowhere") && error.contains("redis.password_file"), "{error}");

    assert_eq!(from_env(&[]).expect("valid").redis.password().expect("none"), None);
}

#[test]
fn the_keys_of_servers_come_from_their_files_or_from_systemd() {
    let dir = tempfile::tempdir().expect("a directory");
    std::fs::write(dir.path().join("model_api_key"), "sk-4711\n").expect("written");
    std::fs::write(dir.path().join("embedder_api_key"), "sk-4712\n").expect("written");
    std::fs::write(dir.path().join("knowledge_api_key"), "ck-4713\n").expect("written");
    let path = dir.path().display().to_string();

    let config = from_env(&[("CREDENTIALS_DIRECTORY", &path)]).expect("valid");
    assert_eq!(config.model.api_key().expect("readable"), Some(Secret::new("sk-4711")));
    assert!(!format!("{config:?} {:?}", config.effective()).contains("sk-4711"));
    let setting = config.effective().into_iter().find(|s| s.key == "model.api_key_file").expect("listed");
    assert_eq!(setting.origin, Origin::Credential);
    assert_eq!(config.embedder.api_key().expect("readable"), Some(Secret::new("sk-4712")));
    assert_eq!(config.knowledge.api_key().expect("readable"), Some(Secret::new("ck-4713")));

    let named = [("CREDENTIALS_DIRECTORY", path.as_str()), ("FEEDBACKD__MODEL__API_KEY_FILE", "/nowhere")];
    let error = from_env(&named).expect("valid").model.api_key().expect_err("missing").to_string();
    assert!(error.contains("/nowhere") && error.contains("model.api_key_file"), "{error}");

    assert_eq!(from_env(&[]).expect("valid").model.api_key().expect("none"), None);
}

#[test]
fn the_default_file_names_every_key() {
    let listed = File::new(DEFAULT_TOML).load(&[]).expect("config/default.toml is valid").effective();
    for setting in &listed {
        assert!(matches!(setting.origin, Origin::File(_)), "config/default.toml lacks {}", setting.key);
    }
}

/// Returns each key's part of the schema.
fn described() -> BTreeMap<String, serde_json::Value> {
    let schema = schema();
    let follow = |part: &serde_json::Value| match part["$ref"].as_str() {
        Some(reference) => schema.pointer(reference.trim_start_matches('#')).expect("a definition").clone(),
        None => part.clone(),
    };
    let found = |key: &str| key.split('.').fold(schema.clone(), |part, name| follow(&part)["properties"][name].clone());
    let keys = Config::default().effective().into_iter().map(|setting| setting.key);
    keys.filter(|key| !key.starts_with("intake.gate_agents.")).map(|key| (key.clone(), found(&key))).collect()
}

#[test]
fn the_schema_accepts_the_shipped_files_and_refuses_what_the_program_refuses() {
    let validator = jsonschema::validator_for(&schema()).expect("a schema");
    let json = |text: &str| -> serde_json::Value {
        config::Config::builder()
            .add_source(config::File::from_str(text, config::FileFormat::Toml))
            .build()
            .and_then(config::Config::try_deserialize)
            .expect("TOML")
    };
    for text in
        [DEFAULT_TOML, include_str!("../../../config/example.toml"), include_str!("../../../deploy/config.toml"), ""]
    {
        let errors: Vec<String> = validator.iter_errors(&json(text)).map(|error| error.to_string()).collect();
        assert_eq!(errors, [""; 0]);
    }
    for text in [
        "[redis]\nblok_ms = 5\n",
        "[redis]\nblock_ms = \"5\"\n",
        "[log]\nformat = \"xml\"\n",
        "[redis]\nblock_ms = 0\n",
    ] {
        assert!(!validator.is_valid(&json(text)), "{text}");
        assert!(File::new(text).load(&[]).is_err(), "{text}");
    }
}

#[test]
fn every_range_in_a_comment_is_the_range_that_is_checked() {
    let mut stated = 0;
    for (key, part) in described() {
        let (Some(low), Some(high)) = (part["minimum"].as_f64(), part["maximum"].as_f64()) else { continue };
        stated += 1;
        let variable = format!("FEEDBACKD__{}", key.to_uppercase().replace('.', "__"));
        let step = if part["type"] == "integer" { 1.0 } else { 0.001 };
        let refused = |value: f64| {
            let loaded = from_env(&[(&variable, &value.to_string())]);
            loaded.is_err_and(|error| error.to_string().contains(&variable))
        };
        for (value, expected) in [(low - step, true), (low, false), (high, false), (high + step, true)] {
            assert_eq!(refused(value), expected, "{key} = {value}: {}", part["description"]);
        }
    }
    assert!(stated > 60, "{stated}");
}

#[test]
fn the_page_of_keys_is_that_of_the_program() {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("docs/configuration.md");
    let text = markdown();
    if std::env::var_os("UPDATE_SCHEMAS").is_some() {
        std::fs::write(&file, &text).expect("written");
    }
    let committed = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(committed == text, "run `UPDATE_SCHEMAS=1 cargo test page_of_keys` and look at the difference");
}

#[test]
fn the_keys_are_described_even_if_the_configuration_is_wrong() {
    let file = File::new("[redis]\nblok_ms = 5\n");
    let run = |word: &str| {
        let out = assert_cmd::Command::new(env!("CARGO_BIN_EXE_feedbackd"))
            .arg("--config")
            .arg(&file.path)
            .args(["config", word])
            .output();
        String::from_utf8(out.expect("run").stdout).expect("text")
    };
    assert_eq!(serde_json::from_str::<serde_json::Value>(&run("schema")).expect("JSON"), schema());
    assert_eq!(run("reference"), markdown());
}

#[test]
fn every_key_of_the_default_file_has_a_comment() {
    let mut previous = "";
    for line in DEFAULT_TOML.lines() {
        let is_key = line.contains(" = ") && !line.starts_with('#') && !line.starts_with("HITL-");
        assert!(!is_key || previous.starts_with('#'), "no comment above `{line}`");
        previous = line;
    }
}

#[test]
fn what_init_prints_is_valid() {
    for setup in ["github", "gate", "compose"] {
        let init =
            assert_cmd::Command::new(env!("CARGO_BIN_EXE_feedbackd")).args(["config", "init", "--for", setup]).output();
        let text = String::from_utf8(init.expect("it runs").stdout).expect("text");
        let file = File::new(&text);
        let config = file.load(&[]).unwrap_or_else(|error| panic!("{setup}: {error}"));
        assert_eq!(config.store.path, PathBuf::from("/var/lib/feedbackd/store.git"));
        let config = file.load(&[("REDIS_URL", "rediss://db:6380/1")]).expect("valid");
        assert_eq!(config.redis.url.expose(), "rediss://db:6380/1");
    }
}

#[test]
fn the_example_is_valid() {
    let config =
        File::new(include_str!("../../../config/example.toml")).load(&[]).expect("config/example.toml is valid");
    assert!(!config.http.is_exposed());
}

#[test]
fn the_deployed_files_name_only_keys_that_exist() {
    File::new(include_str!("../../../deploy/config.toml")).load(&[]).expect("deploy/config.toml is valid");
    let known: Vec<String> = Config::default().effective().into_iter().map(|s| s.key).collect();
    for file in ["feedbackd.service", "feedbackd@.service", "Containerfile", "compose.yaml"] {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("deploy").join(file);
        let text = std::fs::read_to_string(path).expect("a file");
        for word in text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')) {
            let Some(name) = word.strip_prefix("FEEDBACKD__") else { continue };
            let key = name.to_lowercase().replace("__", ".");
            assert!(known.contains(&key), "deploy/{file} names {word}, which is no key");
        }
    }
}

#[test]
fn the_defaults_are_valid() {
    Config::default().validate().expect("valid");
}

fn problems(error: ConfigError) -> usize {
    match error {
        ConfigError::Invalid(problems) => problems.len(),
        other => panic!("{other}"),
    }
}

/// A configuration file that exists as long as this value.
struct File {
    path: PathBuf,
    _dir: tempfile::TempDir,
}

impl File {
    fn new(text: &str) -> File {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("config.toml");
        std::fs::write(&path, text).expect("written");
        File { path, _dir: dir }
    }

    fn load(&self, env: &[(&str, &str)]) -> Result<Config, ConfigError> {
        load(Some(&self.path), &environment(env))
    }
}

/// Loads the defaults and these variables, without this machine's files under /etc.
fn from_env(env: &[(&str, &str)]) -> Result<Config, ConfigError> {
    File::new("").load(env)
}

fn environment(env: &[(&str, &str)]) -> Environment {
    env.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

#[test]
fn renamed_keys_work_for_one_release_and_are_reported() {
    let file = File::new("[evaluator]\nsimilar_at = 0.7\n[store]\nrepack_at_packs = 300\nmax_packs = 400\n");
    let config = file.load(&[("FEEDBACKD__PROPOSALS__CONFLICT_AT", "0.6")]).expect("valid");
    assert_eq!((config.evaluator.similar_threshold, config.proposals.conflict_threshold), (0.7, 0.6));
    assert_eq!(config.store.max_packs, 400, "the present name takes precedence");
    let told = config.old_keys.join("\n");
    assert!(
        told.contains("evaluator.similar_at (file ") && told.contains("is now called evaluator.similar_threshold"),
        "{told}"
    );
    assert!(told.contains("proposals.conflict_at (environment FEEDBACKD__PROPOSALS__CONFLICT_AT)"), "{told}");
    assert_eq!(config.old_keys.len(), 3, "{told}");
}
