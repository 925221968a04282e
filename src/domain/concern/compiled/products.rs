//! Products of a remark's vector with the rows of the matrix: most of what reading a remark costs.
//!
//! In integers throughout: the result is the same for every width of register.

/// The best three products of a vector with rows that lie one after the other, each as long as the vector; the largest
/// first, `i32::MIN` where there are fewer rows.
pub(super) fn best_three(rows: &[i8], vector: &[i16]) -> [i32; 3] {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has what the function is compiled for.
        return unsafe { best_three_wide(rows, vector) };
    }
    best_three_of(rows, vector)
}

/// The same code, compiled for registers of 256 bits.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn best_three_wide(rows: &[i8], vector: &[i16]) -> [i32; 3] {
    best_three_of(rows, vector)
}

#[inline(always)]
fn best_three_of(rows: &[i8], vector: &[i16]) -> [i32; 3] {
    let mut best = [i32::MIN; 3];
    for row in rows.chunks_exact(vector.len().max(1)) {
        let product = sum(row, vector);
        if product > best[2] {
            best[2] = product;
            best.sort_unstable_by(|a, b| b.cmp(a));
        }
    }
    best
}

/// The cosine of a row with a vector; 0 for vectors of another embedder.
pub(super) fn product(row: &[i8], vector: &[i16]) -> f32 {
    if row.len() == vector.len() { cosine(sum(row, vector)) } else { 0.0 }
}

/// The cosine behind a product.
pub(super) fn cosine(product: i32) -> f32 {
    product as f32 / (127.0 * 32_767.0)
}

#[inline(always)]
fn sum(row: &[i8], vector: &[i16]) -> i32 {
    row.iter().zip(vector).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_best_three_are_those_of_all_products(
            width in 1..70_usize,
            rows in prop::collection::vec(-127..=127_i8, 0..600),
            vector in prop::collection::vec(-32_767..=32_767_i16, 70),
        ) {
            let vector = &vector[..width];
            let rows = &rows[..rows.len() / width * width];
            let mut all: Vec<i32> = rows.chunks_exact(width).map(|row| sum(row, vector)).collect();
            all.extend([i32::MIN; 3]);
            all.sort_unstable_by(|a, b| b.cmp(a));
            all.truncate(3);
            prop_assert_eq!(best_three(rows, vector).to_vec(), all.clone());
            prop_assert_eq!(best_three_of(rows, vector).to_vec(), all);
        }
    }
}
