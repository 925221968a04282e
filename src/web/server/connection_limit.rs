//! Connection seats, and who must leave for a newcomer.
//!
//! Silent clients must not keep others out: if all seats are taken, the connection idle longest is closed. If all have
//! a request in progress, a few extra seats serve probes only.

use super::limits::Limits;
use crate::metrics;
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// Seats beyond the limit, for probes only.
const FOR_PROBES: usize = 8;
/// Minimum idle time before eviction, so that a request on its way arrives.
const GRACE: Duration = Duration::from_millis(100);

/// All seats.
pub struct ConnectionLimit {
    most: usize,
    most_for_one: usize,
    taken: Mutex<OpenConnections>,
}

#[derive(Default)]
struct OpenConnections {
    next: u64,
    by: BTreeMap<u64, Holder>,
}

struct Holder {
    client: IpAddr,
    /// When it became idle; `None` while it has a request in progress.
    waits: Option<Instant>,
    only_probes: bool,
    leave: CancellationToken,
}

/// A seat, freed on drop.
pub struct ConnectionPermit {
    seats: Arc<ConnectionLimit>,
    number: u64,
    /// Whether it serves only probes.
    pub only_probes: bool,
    /// Cancelled when another client needs the seat.
    pub leave: CancellationToken,
}

impl ConnectionLimit {
    pub fn new(limits: &Limits) -> Arc<ConnectionLimit> {
        Arc::new(ConnectionLimit {
            most: limits.connections,
            most_for_one: limits.connections_per_client,
            taken: Mutex::default(),
        })
    }

    /// Takes a seat for this client; `None` if no connection can be evicted yet: retry after a few milliseconds.
    pub fn take(self: &Arc<ConnectionLimit>, client: IpAddr, now: Instant) -> Option<ConnectionPermit> {
        let mut taken = self.taken();
        let usual = |holder: &Holder| !holder.only_probes;
        let own = |holder: &Holder| usual(holder) && holder.client == client;
        let one_too_many = taken.count(own) >= self.most_for_one;
        let only_probes = if one_too_many {
            !taken.dismiss(own, now)
        } else {
            taken.count(usual) >= self.most && !taken.dismiss(usual, now)
        };
        if only_probes && taken.count(|holder| holder.only_probes) >= FOR_PROBES {
            taken.dismiss(|holder| holder.only_probes, now).then_some(())?;
        }
        let number = taken.next;
        taken.next += 1;
        let leave = CancellationToken::new();
        taken.by.insert(number, Holder { client, waits: Some(now), only_probes, leave: leave.clone() });
        metrics::http_connections(taken.by.len());
        Some(ConnectionPermit { seats: Arc::clone(self), number, only_probes, leave })
    }

    fn taken(&self) -> MutexGuard<'_, OpenConnections> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl OpenConnections {
    fn count(&self, which: impl Fn(&Holder) -> bool) -> usize {
        self.by.values().filter(|holder| which(holder)).count()
    }

    /// Evicts the matching connection that has been idle longest; reports whether there is one.
    fn dismiss(&mut self, which: impl Fn(&Holder) -> bool, now: Instant) -> bool {
        let waiting = self.by.iter().filter(|(_, holder)| which(holder));
        let waiting = waiting.filter_map(|(number, holder)| Some((holder.waits?, *number)));
        let Some((since, number)) = waiting.min() else { return false };
        if now.saturating_duration_since(since) < GRACE {
            return false;
        }
        if let Some(holder) = self.by.remove(&number) {
            holder.leave.cancel();
        }
        true
    }
}

impl ConnectionPermit {
    /// Records that a request is in progress, or was answered at this time.
    pub fn waits_since(&self, since: Option<Instant>) {
        if let Some(holder) = self.seats.taken().by.get_mut(&self.number) {
            holder.waits = since;
        }
    }
}

impl Drop for ConnectionPermit {
    fn drop(&mut self) {
        let mut taken = self.seats.taken();
        taken.by.remove(&self.number);
        metrics::http_connections(taken.by.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seats(connections: usize, connections_per_client: usize) -> Arc<ConnectionLimit> {
        ConnectionLimit::new(&Limits { connections, connections_per_client, ..Limits::default() })
    }

    fn client(number: u8) -> IpAddr {
        [192, 0, 2, number].into()
    }

    #[test]
    fn who_has_waited_longest_leaves() {
        let seats = seats(2, 2);
        let start = Instant::now();
        let first = seats.take(client(1), start).expect("free");
        let second = seats.take(client(2), start + GRACE).expect("free");
        let third = seats.take(client(3), start + 2 * GRACE).expect("the first leaves");
        assert!(first.leave.is_cancelled() && !second.leave.is_cancelled() && !third.only_probes);
        second.waits_since(None);
        let fourth = seats.take(client(4), start + 3 * GRACE).expect("the third leaves");
        assert!(third.leave.is_cancelled() && !second.leave.is_cancelled() && !fourth.only_probes);
    }

    #[test]
    fn nobody_has_to_leave_at_once() {
        let seats = seats(1, 1);
        let start = Instant::now();
        let first = seats.take(client(1), start).expect("free");
        let second = seats.take(client(2), start).expect("a seat for probes");
        assert!(second.only_probes && !first.leave.is_cancelled());
    }

    #[test]
    fn a_client_with_too_many_has_to_leave_itself() {
        let seats = seats(64, 2);
        let start = Instant::now();
        let other = seats.take(client(1), start).expect("free");
        let own: Vec<ConnectionPermit> = (0..2).map(|_| seats.take(client(2), start).expect("free")).collect();
        let third = seats.take(client(2), start + GRACE).expect("its oldest leaves");
        assert!(own[0].leave.is_cancelled() && !own[1].leave.is_cancelled() && !other.leave.is_cancelled());
        assert!(!third.only_probes);
    }

    #[test]
    fn where_all_are_at_work_probes_still_find_a_seat() {
        let seats = seats(2, 2);
        let start = Instant::now();
        let busy: Vec<ConnectionPermit> = (0..2).map(|n| seats.take(client(n), start).expect("free")).collect();
        busy.iter().for_each(|seat| seat.waits_since(None));
        let mut probing = Vec::new();
        for n in 0..FOR_PROBES {
            probing.push(seats.take(client(3), start).unwrap_or_else(|| panic!("no seat {n}")));
        }
        assert!(probing.iter().all(|seat| seat.only_probes));
        assert!(seats.take(client(3), start).is_none(), "nobody can leave yet");
        assert!(seats.take(client(3), start + GRACE).is_some());
        assert!(probing[0].leave.is_cancelled());
        drop(busy);
        assert!(!seats.take(client(3), start).expect("free").only_probes);
    }
}
