//! A pack index, version 2 of the format (gitformat-pack).

use super::pack::Pack;
use sha1::{Digest, Sha1};

/// From this offset on, offsets are in a separate table.
const LARGE: u64 = 1 << 31;

/// Renders the index file of a pack.
pub fn render(pack: &Pack) -> Vec<u8> {
    let objects = &pack.objects;
    let mut bytes = Vec::with_capacity(8 + 1024 + objects.len() * 28 + 40);
    bytes.extend_from_slice(b"\xfftOc");
    bytes.extend_from_slice(&2u32.to_be_bytes());
    for first in 0..=255u8 {
        let up_to = objects.partition_point(|placed| placed.id.0[0] <= first) as u32;
        bytes.extend_from_slice(&up_to.to_be_bytes());
    }
    objects.iter().for_each(|placed| bytes.extend_from_slice(&placed.id.0));
    objects.iter().for_each(|placed| bytes.extend_from_slice(&placed.crc.to_be_bytes()));
    let mut large: Vec<u64> = Vec::new();
    for placed in objects {
        let offset = if placed.offset < LARGE {
            placed.offset as u32
        } else {
            large.push(placed.offset);
            LARGE as u32 | (large.len() - 1) as u32
        };
        bytes.extend_from_slice(&offset.to_be_bytes());
    }
    large.iter().for_each(|offset| bytes.extend_from_slice(&offset.to_be_bytes()));
    bytes.extend_from_slice(&pack.checksum);
    let checksum = Sha1::digest(&bytes);
    bytes.extend_from_slice(&checksum);
    bytes
}

#[cfg(test)]
mod tests {
    use super::super::object::ObjectId;
    use super::super::pack::PackPosition;
    use super::*;

    #[test]
    fn offsets_beyond_two_gigabytes_have_their_own_table() {
        let placed = |n: u8, offset| PackPosition { id: ObjectId([n; 20]), offset, crc: 7 };
        let pack = Pack { bytes: vec![], objects: vec![placed(1, 12), placed(2, 3 << 31)], checksum: [5; 20] };
        let idx = render(&pack);
        assert_eq!(idx.len(), 8 + 1024 + 2 * 28 + 8 + 40);
        let offsets = 8 + 1024 + 2 * 24;
        assert_eq!(idx[offsets..offsets + 8], [0, 0, 0, 12, 0x80, 0, 0, 0]);
        assert_eq!(idx[offsets + 8..offsets + 16], (3u64 << 31).to_be_bytes());
        let fanout = |n: usize| u32::from_be_bytes(idx[8 + n * 4..12 + n * 4].try_into().unwrap());
        assert_eq!([fanout(0), fanout(1), fanout(2), fanout(255)], [0, 1, 2, 2]);
    }
}
