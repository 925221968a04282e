//! By which way the server that holds the keys was found, in words, for `doctor`.

use super::connection::Connector;
use super::options::{RedisOptions, Topology};
use super::reply;
use super::request::ask;
use crate::ports::BusError;
use redis::{RedisResult, cmd};

/// Looks the server up, and describes it and what led to it.
///
/// # Errors
/// If it cannot be found.
pub async fn route(options: &RedisOptions) -> Result<String, BusError> {
    let connector = Connector::new(options)?;
    let described = async {
        let mut found = connector.open_primary().await?;
        let address = found.address;
        RedisResult::Ok(match &options.topology {
            Topology::Single => format!("mode single: the server is {address}"),
            Topology::Sentinel(sentinels) => {
                let mut client = connector.resolver()?.sentinel_client(sentinels)?;
                let sentinel = client.async_get_sentinel_client().await?;
                let mut connection = sentinel.get_multiplexed_async_connection().await?;
                let watched = ask(&mut connection, cmd("SENTINEL").arg("MASTER").arg(&sentinels.master)).await?;
                let mut facts = (0, 0);
                for (name, value) in reply::pairs(watched)? {
                    let number = || reply::text(value).ok().and_then(|text| text.parse::<u64>().ok()).unwrap_or(0);
                    match name.as_str() {
                        "num-slaves" => facts.0 = number(),
                        "num-other-sentinels" => facts.1 = number(),
                        _ => {}
                    }
                }
                let (replicas, sentinels_known) = (facts.0, facts.1 + 1);
                format!(
                    "mode sentinel: the primary of `{}` is {address}; replicas: {replicas}, Sentinels: {sentinels_known}",
                    sentinels.master
                )
            }
            Topology::Cluster => {
                let listed = ask(&mut found.connection, cmd("CLUSTER").arg("NODES")).await;
                let nodes = match listed.and_then(reply::text) {
                    Ok(nodes) => {
                        let of = |role: &str| nodes.lines().filter(|line| has_flag(line, role)).count();
                        format!("; primaries: {}, replicas: {}", of("master"), of("slave"))
                    }
                    // The user may not ask.
                    Err(_) => String::new(),
                };
                format!("mode cluster: the slot of `{}` is on {address}{nodes}", options.key(""))
            }
        })
    };
    described.await.map_err(|error| connector.explain(&error))
}

/// Reports whether a line of CLUSTER NODES has a flag: `id address flags …`.
fn has_flag(line: &str, flag: &str) -> bool {
    line.split(' ').nth(2).is_some_and(|flags| flags.split(',').any(|known| known == flag))
}
