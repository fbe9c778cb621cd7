//! Gives back memory that a search does not need.
//!
//! Reading a model and compiling it touches most of this program (a compiler is a large part of it), and all of what was touched
//! counts as memory of the process as long as it lives. A long search runs in a small part of it. So once it
//! turns out to be long, pages that are those of a file are given back: what is needed again comes back by itself, from
//! the file. So is what the allocator holds and nobody uses. As a model may be compiled again meanwhile, that is done
//! again, ever more seldom.

use std::sync::atomic::{AtomicU32, Ordering};

/// To be called now and then: the first time it does something, and the 4th, the 16th and so on.
pub(crate) fn shrink() {
    static CALLS: AtomicU32 = AtomicU32::new(0);
    let calls = CALLS.fetch_add(1, Ordering::Relaxed).wrapping_add(1);
    if calls.is_power_of_two() && calls.trailing_zeros().is_multiple_of(2) {
        give_back();
    }
}

#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
pub(crate) fn give_back() {
    let maps = std::fs::read_to_string("/proc/self/smaps").unwrap_or_default();
    for mapping in unchanged_files(&maps) {
        // SAFETY: the pages are those of a file, and cannot be written to: coming back from there they are the same.
        unsafe { libc::madvise(mapping.start as *mut libc::c_void, mapping.len(), libc::MADV_DONTNEED) };
    }
    #[cfg(target_env = "gnu")]
    // SAFETY: this only concerns memory that is free.
    unsafe {
        libc::malloc_trim(0);
    }
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn give_back() {}

/// Where files are mapped that cannot be written to here, and of which no page is a copy that was.
///
/// A mapping begins with `START-END PERMISSIONS OFFSET DEVICE INODE PATH`, and `NAME: VALUE` follow.
#[cfg(target_os = "linux")]
fn unchanged_files(maps: &str) -> impl Iterator<Item = std::ops::Range<usize>> {
    let mut file = None;
    maps.lines().filter_map(move |line| {
        let mut fields = line.split_ascii_whitespace();
        match fields.next()? {
            "Anonymous:" => file.take().filter(|_| fields.next() == Some("0")),
            name if name.ends_with(':') => None,
            range => {
                let is_read_only = matches!(fields.next()?, "r-xp" | "r--p");
                let is_file = fields.nth(3).is_some_and(|path| path.starts_with('/'));
                file = address_range(range).filter(|_| is_read_only && is_file);
                None
            }
        }
    })
}

#[cfg(target_os = "linux")]
fn address_range(text: &str) -> Option<std::ops::Range<usize>> {
    let (start, end) = text.split_once('-')?;
    let address = |digits| usize::from_str_radix(digits, 16).ok();
    Some(address(start)?..address(end)?)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_in_a_file_is_given_back() {
        let mapping = |range: &str, permissions: &str, path: &str, anonymous: u32| {
            format!(
                "{range} {permissions} 00254000 fe:00 1234   {path}\nSize: 8 kB\nAnonymous: {anonymous} kB\nVmFlags: rd\n"
            )
        };
        let maps = [
            mapping("1000-2000", "r--p", "/usr/bin/a b", 0),
            mapping("2000-4000", "r-xp", "/usr/bin/a b", 0),
            mapping("4000-5000", "r-xp", "/usr/bin/a b", 4),
            mapping("5000-6000", "rw-p", "/usr/bin/a b", 0),
            mapping("6000-7000", "r--p", "[vvar]", 0),
            mapping("7000-8000", "r-xp", "", 0),
        ];
        let found: Vec<_> = unchanged_files(&maps.concat()).collect();
        assert_eq!(found, [0x1000..0x2000, 0x2000..0x4000]);
    }

    /// Among what is given back are the functions that go on.
    #[test]
    fn the_program_goes_on() {
        (0..5).for_each(|_| shrink());
        assert_eq!(address_range("1000-3000"), Some(0x1000..0x3000));
    }
}
