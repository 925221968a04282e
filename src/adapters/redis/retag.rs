//! Renames a tenant's keys to those with the tenant in braces, on one server. A stream keeps its ids, its group with what is
//! pending, and so does the cursor. It moves nothing to another server.

use super::connection::Connector;
use super::options::{RedisOptions, Topology};
use super::request::ask;
use super::scan::keys_from;
use crate::config::redis_key;
use crate::ports::BusError;
use redis::{RedisResult, Value, cmd};

/// The parts of our own keys' names after which the full key of a stream follows.
const NAMES_A_STREAM: [&str; 3] = ["feedbackd:group:", "feedbackd:lost:", "feedbackd:dead_lettered:"];

/// A key, and what it is to be called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Renaming {
    /// The present name.
    pub from: String,
    /// The name with the tenant in braces.
    pub to: String,
}

/// Returns the keys of the tenant whose name has no braces yet, in order.
///
/// # Errors
/// [`BusError::Refused`] if there is no tenant, in a cluster, or if a name with braces is taken already: another program
/// writes to it, and two streams cannot be joined. Otherwise if Redis cannot be reached.
pub async fn renamings(options: &RedisOptions) -> Result<Vec<Renaming>, BusError> {
    let Some(tenant) = options.tenant.as_deref().filter(|_| options.hash_tags) else {
        return Err(BusError::Refused {
            message: "the keys have no braces in this configuration".into(),
            hint: "set redis.tenant and redis.hash_tags = true first".into(),
        });
    };
    if options.topology == Topology::Cluster {
        return Err(BusError::Refused {
            message: "in a cluster, keys with other names are on other servers".into(),
            hint: "rename them on the single server, before its data is moved to the cluster".into(),
        });
    }
    let connector = Connector::new(options)?;
    let (old, new) = (redis_key(Some(tenant), false, ""), options.key(""));
    let found = async {
        let mut connection = connector.open().await?;
        let (mut renamings, mut taken) = (Vec::new(), Vec::new());
        for renaming in keys_from(&mut connection, &old).await?.iter().filter_map(|key| renaming(key, &old, &new)) {
            if ask(&mut connection, cmd("EXISTS").arg(&renaming.to)).await? != Value::Int(0) {
                taken.push(renaming.to.clone());
            }
            renamings.push(renaming);
        }
        RedisResult::Ok((renamings, taken))
    };
    let (renamings, taken) = found.await.map_err(|error| connector.explain(&error))?;
    if taken.is_empty() {
        return Ok(renamings);
    }
    Err(BusError::Refused {
        message: format!("these keys exist already: {}", taken.join(", ")),
        hint: "stop what writes to them, and remove them if nothing in them is needed".into(),
    })
}

/// Renames these keys, and returns how many there were; those that are gone by now are left out. It may be repeated.
///
/// # Errors
/// If Redis cannot be reached or refuses, for example because the user may not run RENAMENX.
pub async fn rename(options: &RedisOptions, renamings: &[Renaming]) -> Result<usize, BusError> {
    let connector = Connector::new(options)?;
    let renamed = async {
        let mut connection = connector.open().await?;
        let mut count = 0;
        for Renaming { from, to } in renamings {
            match ask(&mut connection, cmd("RENAMENX").arg(from).arg(to)).await {
                Ok(Value::Int(1)) => count += 1,
                Ok(_) => {}
                // It expired.
                Err(error) if error.detail().is_some_and(|detail| detail.contains("no such key")) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(count)
    };
    renamed.await.map_err(|error| connector.explain(&error))
}

fn renaming(from: &str, old: &str, new: &str) -> Option<Renaming> {
    let name = from.strip_prefix(old)?;
    let names_a_stream = NAMES_A_STREAM.iter().any(|start| name.starts_with(start));
    let name = if names_a_stream { name.replacen(old, new, 1) } else { name.to_owned() };
    Some(Renaming { from: from.to_owned(), to: format!("{new}{name}") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tenant_gets_braces_where_it_is_a_prefix() {
        let to = |from: &str| renaming(from, "tenant:acme:", "tenant:{acme}:").map(|renaming| renaming.to);
        for (from, expected) in [
            ("tenant:acme:asdlc:events", "tenant:{acme}:asdlc:events"),
            ("tenant:acme:feedbackd:outbox:s1", "tenant:{acme}:feedbackd:outbox:s1"),
            (
                "tenant:acme:feedbackd:lost:g:tenant:acme:asdlc:events",
                "tenant:{acme}:feedbackd:lost:g:tenant:{acme}:asdlc:events",
            ),
            // An agent may have any name.
            ("tenant:acme:asdlc:rules:active:tenant:acme:x", "tenant:{acme}:asdlc:rules:active:tenant:acme:x"),
        ] {
            assert_eq!(to(from).as_deref(), Some(expected));
        }
        assert_eq!(to("tenant:acme2:asdlc:events"), None);
    }
}
