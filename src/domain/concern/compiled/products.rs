//! Products of a remark's vector with the rows of the matrix: most of what reading a remark costs.
//!
//! In integers throughout: the result is the same for every width of register.

/// The products of a vector with rows that lie one after the other, each as long as the vector.
pub(super) fn all(rows: &[i8], vector: &[i16]) -> Vec<i32> {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has what the function is compiled for.
        return unsafe { all_wide(rows, vector) };
    }
    all_of(rows, vector)
}

/// The same code, compiled for registers of 256 bits.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn all_wide(rows: &[i8], vector: &[i16]) -> Vec<i32> {
    all_of(rows, vector)
}

#[inline(always)]
fn all_of(rows: &[i8], vector: &[i16]) -> Vec<i32> {
    if vector.is_empty() {
        return Vec::new();
    }
    rows.chunks_exact(vector.len()).map(|row| sum(row, vector)).collect()
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
