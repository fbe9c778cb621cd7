//! Memory that the searches manage themselves: mapped regions, words shared by threads, padding to
//! cache lines, and the size of the process. Besides `store`, the only unsafe code of this crate.

#[allow(unsafe_code)]
pub(crate) mod atomic_words;
pub(crate) mod fallible;
pub(crate) mod padded;
#[allow(unsafe_code)]
#[cfg_attr(loom, path = "modelled_region.rs")]
pub(crate) mod region;
pub(crate) mod resident;
pub(crate) mod sync;
