//! A private Redis Cluster on free ports of this machine.

use super::redis::{RedisServer, free_port};
use super::wait_until;
use redis::ToRedisArgs;

/// The number of hash slots.
const SLOTS: usize = 16_384;

/// The time after which a node counts as down, in milliseconds.
const NODE_TIMEOUT: &str = "2000";

/// A running cluster. Dropping it kills its nodes.
pub struct Cluster {
    nodes: Vec<RedisServer>,
}

impl Cluster {
    /// Starts one with so many primaries, and replicas of each.
    pub fn start(primaries: usize, replicas: usize) -> Cluster {
        let mut bus = Vec::new();
        let mut nodes = Vec::new();
        for _ in 0..primaries * (1 + replicas) {
            let port = free_port().to_string();
            nodes.push(RedisServer::start_with(&[
                "--appendonly",
                "no",
                "--cluster-enabled",
                "yes",
                "--cluster-port",
                &port,
                "--cluster-node-timeout",
                NODE_TIMEOUT,
            ]));
            bus.push(port);
        }
        let cluster = Cluster { nodes };
        let first = &cluster.nodes[0];
        for (n, node) in cluster.nodes.iter().enumerate() {
            let _: String = node.cli(&["CLUSTER", "SET-CONFIG-EPOCH", &(n + 1).to_string()]);
            if n < primaries {
                let [from, to] = [n, n + 1].map(|n| n * SLOTS / primaries);
                let _: String = node.cli(&["CLUSTER", "ADDSLOTSRANGE", &from.to_string(), &(to - 1).to_string()]);
            }
            let _: String = node.cli(&["CLUSTER", "MEET", "127.0.0.1", &first.port().to_string(), &bus[0]]);
        }
        wait_until("all nodes know all", || {
            let known = format!("cluster_known_nodes:{}", cluster.nodes.len());
            cluster.nodes.iter().all(|node| node.cli::<String>(&["CLUSTER", "INFO"]).contains(&known))
        });
        for (n, node) in cluster.nodes.iter().enumerate().skip(primaries) {
            let primary = cluster.nodes[n % primaries].cli::<String>(&["CLUSTER", "MYID"]);
            wait_until("it follows its primary", || {
                node.try_cli::<String>(&["CLUSTER", "REPLICATE", &primary]).is_ok()
            });
        }
        cluster.wait_whole();
        cluster
    }

    /// Returns the addresses of all nodes, as a list.
    pub fn url(&self) -> String {
        let urls = self.nodes.iter().map(|node| format!("redis://127.0.0.1:{}", node.port()));
        urls.collect::<Vec<_>>().join(",")
    }

    /// Waits until the state is good everywhere, and every replica follows its primary.
    pub fn wait_whole(&self) {
        wait_until("the cluster is whole", || {
            self.nodes.iter().all(|node| {
                let info = |words: &[&str]| node.try_cli::<String>(words).unwrap_or_default();
                info(&["CLUSTER", "INFO"]).contains("cluster_state:ok")
                    && !info(&["INFO", "replication"]).contains("master_link_status:down")
                    && !info(&["CLUSTER", "NODES"]).contains("fail")
            })
        });
    }

    /// Returns the number of the node that serves a key; `None` if there is none now.
    pub fn find(&self, key: &str) -> Option<usize> {
        self.nodes.iter().position(|node| node.try_cli::<i64>(&["EXISTS", key]).is_ok())
    }

    /// Returns the number of the node that serves a key.
    pub fn primary(&self, key: &str) -> usize {
        let mut found = None;
        wait_until("a node serves the key", || {
            found = self.find(key);
            found.is_some()
        });
        found.expect("it was waited for")
    }

    /// Returns a node.
    pub fn node(&self, number: usize) -> &RedisServer {
        &self.nodes[number]
    }

    /// Returns a node, to kill or restart it.
    pub fn node_mut(&mut self, number: usize) -> &mut RedisServer {
        &mut self.nodes[number]
    }

    /// Sends a command to every node.
    pub fn tell_all(&self, words: &[impl ToRedisArgs]) {
        for node in &self.nodes {
            let _: redis::Value = node.cli(words);
        }
    }
}
