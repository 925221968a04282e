//! A pack of whole objects, built in memory, and the check that a pack can be read back.
//!
//! No deltas. Does not touch files; `pack_dir` does.

use super::object::{Kind, ObjectId};
use crate::ports::StoreError;
use libdeflater::{CompressionLvl, Compressor, Decompressor};
use sha1::{Digest, Sha1};
use std::collections::HashSet;

const HEADER: usize = 12;
const TRAILER: usize = 20;

/// An object's position in its pack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackPosition {
    /// The object.
    pub id: ObjectId,
    /// Its first byte, from the pack's start.
    pub offset: u64,
    /// Checksum of its bytes in the pack.
    pub crc: u32,
}

/// A finished pack.
pub struct Pack {
    /// The whole file.
    pub bytes: Vec<u8>,
    /// Its objects, ordered by id.
    pub objects: Vec<PackPosition>,
    /// The trailing checksum.
    pub checksum: [u8; 20],
}

/// Collects objects, without duplicates.
pub struct PackBuilder<'c> {
    compressor: &'c mut Compressor,
    bytes: Vec<u8>,
    objects: Vec<PackPosition>,
    known: HashSet<ObjectId>,
}

/// Returns a compressor for [`PackBuilder`]; levels are 1 (fast) to 12, others are clamped.
pub fn compressor(level: i32) -> Compressor {
    Compressor::new(CompressionLvl::new(level.clamp(1, 12)).unwrap_or_default())
}

impl<'c> PackBuilder<'c> {
    /// Creates an empty pack.
    pub fn new(compressor: &'c mut Compressor) -> PackBuilder<'c> {
        PackBuilder { compressor, bytes: vec![0; HEADER], objects: Vec::new(), known: HashSet::new() }
    }

    /// Adds an object whose id is known, unless it is already in the pack.
    pub fn add(&mut self, kind: Kind, id: ObjectId, content: &[u8]) {
        if !self.known.insert(id) {
            return;
        }
        let offset = self.bytes.len();
        put_header(&mut self.bytes, kind, content.len());
        let start = self.bytes.len();
        self.bytes.resize(start + self.compressor.zlib_compress_bound(content.len()), 0);
        let size = self
            .compressor
            .zlib_compress(content, &mut self.bytes[start..])
            .expect("the buffer has the size that the compressor asked for");
        self.bytes.truncate(start + size);
        self.objects.push(PackPosition { id, offset: offset as u64, crc: libdeflater::crc32(&self.bytes[offset..]) });
    }

    /// Completes the pack.
    pub fn finish(mut self) -> Pack {
        self.bytes[..4].copy_from_slice(b"PACK");
        self.bytes[4..8].copy_from_slice(&2u32.to_be_bytes());
        self.bytes[8..12].copy_from_slice(&(self.objects.len() as u32).to_be_bytes());
        let checksum: [u8; 20] = Sha1::digest(&self.bytes).into();
        self.bytes.extend_from_slice(&checksum);
        self.objects.sort_unstable_by_key(|placed| placed.id);
        Pack { bytes: self.bytes, objects: self.objects, checksum }
    }
}

/// Reads every object of a pack read back from disk and compares its hash.
///
/// # Errors
/// `Damaged` with the first object that does not match.
pub fn verify(bytes: &[u8], objects: &[PackPosition], checksum: &[u8; 20]) -> Result<(), StoreError> {
    let end = bytes.len().saturating_sub(TRAILER);
    if end < HEADER || bytes[end..] != *checksum || <[u8; 20]>::from(Sha1::digest(&bytes[..end])) != *checksum {
        return Err(StoreError::Damaged("a new pack reads back with a different checksum".to_owned()));
    }
    let mut decompressor = Decompressor::new();
    let mut content = Vec::new();
    for placed in objects {
        let read = usize::try_from(placed.offset)
            .ok()
            .and_then(|offset| bytes[..end].get(offset..))
            .and_then(|at| read_object(at, &mut decompressor, &mut content));
        if read.map(|kind| ObjectId::of(kind, &content)) != Some(placed.id) {
            return Err(StoreError::Damaged(format!("the new object {} cannot be read back", placed.id)));
        }
    }
    Ok(())
}

/// Writes kind and size: four bits of size in the first byte, seven in each further one, lowest first.
fn put_header(bytes: &mut Vec<u8>, kind: Kind, size: usize) {
    let mut byte = (kind as u8) << 4 | (size & 0x0f) as u8;
    let mut rest = size >> 4;
    while rest > 0 {
        bytes.push(byte | 0x80);
        byte = (rest & 0x7f) as u8;
        rest >>= 7;
    }
    bytes.push(byte);
}

fn read_object(bytes: &[u8], decompressor: &mut Decompressor, content: &mut Vec<u8>) -> Option<Kind> {
    let first = *bytes.first()?;
    let kind = Kind::from_number((first >> 4) & 7)?;
    let (mut size, mut shift, mut at) = (usize::from(first & 0x0f), 4u32, 1);
    let mut more = first & 0x80 != 0;
    while more {
        let byte = *bytes.get(at)?;
        size |= usize::from(byte & 0x7f).checked_shl(shift)?;
        (shift, at, more) = (shift + 7, at + 1, byte & 0x80 != 0);
    }
    // Deflate compresses at most about a thousandfold: a size beyond that is damage, not a reason to allocate.
    if size > bytes.len().saturating_mul(1100) {
        return None;
    }
    content.resize(size, 0);
    let written = decompressor.zlib_decompress(&bytes[at..], content).ok()?;
    (written == size).then_some(kind)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn build(contents: &[Vec<u8>]) -> Pack {
        let mut compressor = compressor(1);
        let mut pack = PackBuilder::new(&mut compressor);
        for content in contents {
            pack.add(Kind::Blob, ObjectId::of(Kind::Blob, content), content);
        }
        pack.finish()
    }

    proptest! {
        #[test]
        fn packs_read_back(contents in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..5000), 0..20)) {
            let pack = build(&contents);
            prop_assert!(verify(&pack.bytes, &pack.objects, &pack.checksum).is_ok());
        }

        #[test]
        fn a_flipped_bit_is_found(at in any::<prop::sample::Index>(), bit in 0..8u8) {
            let mut pack = build(&[vec![7; 300], b"hello".to_vec()]);
            let at = at.index(pack.bytes.len());
            pack.bytes[at] ^= 1 << bit;
            prop_assert!(verify(&pack.bytes, &pack.objects, &pack.checksum).is_err());
        }

        #[test]
        fn damaged_objects_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            read_object(&bytes, &mut Decompressor::new(), &mut Vec::new());
        }
    }

    #[test]
    fn an_object_is_packed_once() {
        assert_eq!(build(&[b"a".to_vec(), b"a".to_vec()]).objects.len(), 1);
    }

    #[test]
    fn an_object_under_a_wrong_id_is_found() {
        let mut compressor = compressor(1);
        let mut pack = PackBuilder::new(&mut compressor);
        pack.add(Kind::Blob, ObjectId([9; 20]), b"something else");
        let pack = pack.finish();
        assert!(matches!(verify(&pack.bytes, &pack.objects, &pack.checksum), Err(StoreError::Damaged(_))));
    }
}
