//! Places at which a test may abort the program.

/// A place at which a test may have the program abort, so that every step of the data path is seen to survive it:
/// `FAILPOINTS=<name>=return` ends it there at the first time, `<name>=3*off->return` at the fourth. Release builds contain
/// none.
#[macro_export]
macro_rules! fail_point {
    ($name:literal) => {
        #[cfg(debug_assertions)]
        let _: Option<()> = $crate::fail_point::eval($name);
    };
}

/// What [`fail_point!`](crate::fail_point!) expands to: aborts the program if `FAILPOINTS` says so.
#[cfg(debug_assertions)]
#[doc(hidden)]
pub fn eval(name: &str) -> Option<()> {
    ::fail::eval(name, |_| ::std::process::abort())
}
