//! Products of a comment's vector with the rows of the matrix: the main cost of reading a comment.
//!
//! Integers only: the result is the same for every register width.

/// Returns the products of a vector with contiguous rows, each as long as the vector.
pub(super) fn all(rows: &[i8], vector: &[i16]) -> Vec<i32> {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor supports the features the function is compiled for.
        return unsafe { all_wide(rows, vector) };
    }
    all_of(rows, vector)
}

/// The same with registers of 256 bits. The compiler does not recognise that 16-bit products can be added in pairs at
/// once: its code takes three times as long.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn all_wide(rows: &[i8], vector: &[i16]) -> Vec<i32> {
    use std::arch::x86_64::{
        _mm_loadu_si128, _mm256_add_epi32, _mm256_cvtepi8_epi16, _mm256_loadu_si256, _mm256_madd_epi16,
        _mm256_setzero_si256, _mm256_storeu_si256,
    };
    const STEP: usize = 16;
    if vector.is_empty() {
        return Vec::new();
    }
    let (parts, rest) = vector.as_chunks::<STEP>();
    let product = |row: &[i8]| {
        let (row, row_rest) = row.as_chunks::<STEP>();
        let mut lanes = _mm256_setzero_si256();
        for (a, b) in row.iter().zip(parts) {
            // SAFETY: both arrays have as many bytes as are read; no alignment is required.
            let (a, b) = unsafe { (_mm_loadu_si128(a.as_ptr().cast()), _mm256_loadu_si256(b.as_ptr().cast())) };
            lanes = _mm256_add_epi32(lanes, _mm256_madd_epi16(_mm256_cvtepi8_epi16(a), b));
        }
        let mut sums = [0_i32; 8];
        // SAFETY: the array has as many bytes as are written; no alignment is required.
        unsafe { _mm256_storeu_si256(sums.as_mut_ptr().cast(), lanes) };
        sums.iter().sum::<i32>() + sum(row_rest, rest)
    };
    rows.chunks_exact(vector.len()).map(product).collect()
}

fn all_of(rows: &[i8], vector: &[i16]) -> Vec<i32> {
    if vector.is_empty() {
        return Vec::new();
    }
    rows.chunks_exact(vector.len()).map(|row| sum(row, vector)).collect()
}

/// Returns the cosine of a row with a vector; 0 for vectors of another embedder.
pub(super) fn product(row: &[i8], vector: &[i16]) -> f32 {
    if row.len() == vector.len() { cosine(sum(row, vector)) } else { 0.0 }
}

/// Converts a product to a cosine.
pub(super) fn cosine(product: i32) -> f32 {
    product as f32 / (127.0 * 32_767.0)
}

fn sum(row: &[i8], vector: &[i16]) -> i32 {
    row.iter().zip(vector).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_products_are_those_of_the_rows(
            width in 1..70_usize,
            rows in prop::collection::vec(-127..=127_i8, 0..600),
            vector in prop::collection::vec(-32_767..=32_767_i16, 70),
        ) {
            let vector = &vector[..width];
            let each: Vec<i32> = rows.chunks_exact(width).map(|row| sum(row, vector)).collect();
            prop_assert_eq!(all(&rows, vector), each.clone());
            prop_assert_eq!(all_of(&rows, vector), each);
            prop_assert_eq!(all(&rows, &[]), Vec::<i32>::new());
        }
    }
}
