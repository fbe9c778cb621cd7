//! The default memory limit of the machine.

use std::fs;

/// Four fifths of the available memory, or of the container's limit if that is lower; `None` if
/// neither is known.
pub fn default_memory_bytes() -> Option<u64> {
    let free = [available(), container()].into_iter().flatten().min()?;
    Some(free / 5 * 4)
}

fn available() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kilobytes.checked_mul(1024)
}

fn container() -> Option<u64> {
    fs::read_to_string("/sys/fs/cgroup/memory.max").ok()?.trim().parse().ok()
}
