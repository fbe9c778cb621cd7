//! What the process holds in memory, asked so cheaply that a search can ask after every few hundred states.

/// How much of a limit of memory is left to the process, if there is a limit and the system tells.
pub fn memory_left(limit: Option<u64>) -> Option<u64> {
    Some(limit?.saturating_sub(resident_bytes()?))
}

/// What the process holds in memory now, if the system tells.
#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
pub(crate) fn resident_bytes() -> Option<u64> {
    use std::fs::File;
    use std::os::unix::fs::FileExt;
    use std::sync::OnceLock;

    /// Kept open: the file is read again each time.
    static STATM: OnceLock<Option<(File, u64)>> = OnceLock::new();
    let statm = STATM.get_or_init(|| {
        // SAFETY: this only asks for a number.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
        Some((File::open("/proc/self/statm").ok()?, u64::try_from(page).ok()?))
    });
    let (file, page) = statm.as_ref()?;
    let mut text = [0; 128];
    let length = file.read_at(&mut text, 0).ok()?;
    // All pages, then the resident ones.
    let mut fields = std::str::from_utf8(text.get(..length)?).ok()?.split_ascii_whitespace();
    Some(fields.nth(1)?.parse::<u64>().ok()? * page)
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn resident_bytes() -> Option<u64> {
    None
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn memory_that_is_touched_is_resident() {
        let before = resident_bytes().expect("Linux tells");
        let memory = vec![1u8; 64 << 20];
        let after = resident_bytes().expect("Linux tells");
        assert!(after > before + (32 << 20), "{before} {after}");
        assert_eq!(memory[memory.len() - 1], 1);
    }
}
