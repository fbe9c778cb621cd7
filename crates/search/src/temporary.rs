//! Files and directories that exist only while the program runs.
//!
//! Each is removed when its guard is dropped. A signal that ends the program drops nothing, so all
//! guards are also registered here, and [`remove_all`] removes the registered paths.

use std::collections::BTreeSet;
use std::collections::hash_map::RandomState;
use std::fs;
use std::hash::{BuildHasher, Hasher};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

static REGISTERED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn registered() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    REGISTERED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A file, or a directory with its contents, that is removed when this guard is dropped.
#[derive(Debug)]
pub struct Temporary {
    path: PathBuf,
}

impl Temporary {
    /// A guard for an existing or future file or directory at `path`.
    pub fn new(path: PathBuf) -> Temporary {
        registered().insert(path.clone());
        Temporary { path }
    }

    /// Creates a directory in `parent` with an unpredictable name, readable by this user only.
    ///
    /// # Errors
    /// The directory cannot be created.
    pub fn directory(parent: &Path) -> io::Result<Temporary> {
        // Creation fails if the path exists, even as a dangling link.
        let path = parent.join(format!("lariat-{:016x}", random_word()));
        let mut builder = fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        // The lock is held, so that a signal between the two statements leaves no directory.
        let mut registered = registered();
        builder.create(&path)?;
        registered.insert(path.clone());
        Ok(Temporary { path })
    }

    /// The path of the file or directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Makes the file or directory permanent.
    pub fn keep(self) -> PathBuf {
        registered().remove(&self.path);
        let mut this = std::mem::ManuallyDrop::new(self);
        std::mem::take(&mut this.path)
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // Registered until it is gone, because a signal may end the program meanwhile.
        remove(&self.path);
        registered().remove(&self.path);
    }
}

/// Removes all registered paths, for a program that is about to be ended by a signal.
pub fn remove_all() {
    for path in std::mem::take(&mut *registered()) {
        remove(&path);
    }
}

/// Removes a path; failures are ignored. Several threads may remove the same path.
fn remove(path: &Path) {
    // Under another name, other threads create no more files in the directory.
    let mut doomed = path.as_os_str().to_owned();
    doomed.push(".removed");
    let doomed = PathBuf::from(doomed);
    let _ = fs::rename(path, &doomed);
    // Two threads that remove the same files disturb each other.
    for _ in 0..REMOVAL_ATTEMPTS {
        let Ok(metadata) = fs::symlink_metadata(&doomed) else { return };
        let _ =
            if metadata.is_dir() { fs::remove_dir_all(&doomed) } else { fs::remove_file(&doomed) };
    }
}

/// Attempts to remove a path: far more than there are threads.
const REMOVAL_ATTEMPTS: usize = 100;

/// 64 unpredictable bits: the keys of a `RandomState` come from the operating system, and its
/// keyed hash does not reveal them.
pub fn random_word() -> u64 {
    RandomState::new().build_hasher().finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Another thread that creates files in the directory does not keep it from being removed.
    #[test]
    fn directories_in_use_are_removed() {
        let made = Temporary::directory(&std::env::temp_dir()).expect("a writable directory");
        let path = made.path().to_owned();
        std::thread::scope(|scope| {
            let write = |number: u32| fs::write(path.join(number.to_string()), "text").is_ok();
            scope.spawn(move || (0..10_000).take_while(|number| write(*number)).count());
            while !made.path().join("20").exists() {
                std::thread::yield_now();
            }
            drop(made);
        });
        assert!(!path.exists());
    }

    #[test]
    fn directories_are_private_and_removed() {
        let made = Temporary::directory(&std::env::temp_dir()).expect("a writable directory");
        let path = made.path().to_owned();
        fs::write(path.join("file"), "text").expect("a writable directory");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = fs::metadata(&path).expect("the directory exists").permissions().mode();
            assert_eq!(mode & 0o777, 0o700);
        }
        drop(made);
        assert!(!path.exists());
        let kept =
            Temporary::directory(&std::env::temp_dir()).expect("a writable directory").keep();
        assert!(kept.exists());
        fs::remove_dir(&kept).expect("the directory is empty");
    }
}
