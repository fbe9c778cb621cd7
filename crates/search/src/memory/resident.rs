//! Resident memory of the process, read fast enough to be checked every few hundred states.

/// The part of a memory limit that the process has not used yet; `None` without a limit, or if the
/// system does not report resident memory.
pub fn memory_left(limit: Option<u64>) -> Option<u64> {
    Some(limit?.saturating_sub(resident_bytes()?))
}

/// Resident memory of the process, if the system reports it.
#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
pub(crate) fn resident_bytes() -> Option<u64> {
    use std::fs::File;
    use std::os::unix::fs::FileExt;
    use std::sync::OnceLock;

    /// Kept open; each read at offset 0 returns current numbers.
    static STATM: OnceLock<Option<(File, u64)>> = OnceLock::new();
    let statm = STATM.get_or_init(|| {
        // SAFETY: `sysconf` only returns a number.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
        Some((File::open("/proc/self/statm").ok()?, u64::try_from(page).ok()?))
    });
    let (file, page) = statm.as_ref()?;
    let mut text = [0; 128];
    let length = file.read_at(&mut text, 0).ok()?;
    // The first field counts all pages, the second the resident ones.
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
    fn touched_memory_is_resident() {
        let before = resident_bytes().expect("Linux reports resident memory");
        let memory = vec![1u8; 64 << 20];
        let after = resident_bytes().expect("Linux reports resident memory");
        assert!(after > before + (32 << 20), "{before} {after}");
        assert_eq!(memory[memory.len() - 1], 1);
    }
}
