//! Gives back the pages of the program file that a search does not need.
//!
//! Reading a model and compiling it touches most of this program (a compiler is a large part of it), and all of what was touched
//! counts as memory of the process as long as it lives. A long search runs in a small part of it. So once it
//! turns out to be long, the program's text is unmapped: what is needed again comes back by itself, from the file, page by page.

#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
pub(crate) fn shrink() {
    use std::sync::Once;
    static DONE: Once = Once::new();
    DONE.call_once(|| {
        let Ok(program) = std::env::current_exe() else { return };
        let Ok(maps) = std::fs::read_to_string("/proc/self/maps") else { return };
        for (start, bytes) in maps.lines().filter_map(|line| text_of(line, program.to_str()?)) {
            // SAFETY: this is a private mapping of the program's file that may be read and executed, not written: its
            // pages are those of the file, and coming back from there they are the same.
            unsafe { libc::madvise(start as *mut libc::c_void, bytes, libc::MADV_DONTNEED) };
        }
    });
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn shrink() {}

/// Start and length of a mapping, if it is text of the program: `START-END r-xp OFFSET DEVICE INODE PATH`.
#[cfg(target_os = "linux")]
fn text_of(line: &str, program: &str) -> Option<(usize, usize)> {
    let mut fields = line.splitn(6, ' ').map(str::trim);
    let (start, end) = fields.next()?.split_once('-')?;
    let permissions = fields.next()?;
    let path = fields.nth(3)?;
    if permissions != "r-xp" || path != program {
        return None;
    }
    let address = |digits| usize::from_str_radix(digits, 16).ok();
    let (start, end) = (address(start)?, address(end)?);
    Some((start, end.checked_sub(start)?))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn only_the_text_of_the_program_is_given_back() {
        let text = "55e0a000-55e0c000 r-xp 00254000 fe:00 1234                       /usr/bin/a b";
        assert_eq!(text_of(text, "/usr/bin/a b"), Some((0x55e0_a000, 0x2000)));
        assert_eq!(text_of(text, "/usr/bin/a"), None);
        assert_eq!(text_of(&text.replace("r-xp", "rw-p"), "/usr/bin/a b"), None);
        assert_eq!(text_of("7fdc0000-7fdc1000 r-xp 00000000 00:00 0 ", ""), None);
        assert_eq!(text_of("", "/usr/bin/a"), None);
    }

    /// Among the text given back is this function's own.
    #[test]
    fn the_program_goes_on() {
        shrink();
        assert_eq!(text_of("1000-3000 r-xp 0 0 0 /a", "/a"), Some((0x1000, 0x2000)));
    }
}
