//! Files and directories that exist only while the program runs.
//!
//! Each is removed when its guard is dropped. A signal that ends the program drops nothing, so all
//! guards are also registered here, and [`remove_all`] removes whatever is left.

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

/// A file, or a directory with all that is in it, that is removed when this is dropped.
#[derive(Debug)]
pub struct Temporary {
    path: PathBuf,
}

impl Temporary {
    /// Takes responsibility for what is, or will be, at this path.
    pub fn new(path: PathBuf) -> Temporary {
        registered().insert(path.clone());
        Temporary { path }
    }

    /// A new directory inside `parent` that only this user can read, with a name that cannot be
    /// guessed.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn directory(parent: &Path) -> io::Result<Temporary> {
        // An existing path, even a link that leads nowhere, makes creation fail.
        let path = parent.join(format!("lariat-{:016x}", random_word()));
        let mut builder = fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&path)?;
        Ok(Temporary::new(path))
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// From now on it is permanent.
    pub fn keep(self) -> PathBuf {
        registered().remove(&self.path);
        let mut this = std::mem::ManuallyDrop::new(self);
        std::mem::take(&mut this.path)
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        registered().remove(&self.path);
        remove(&self.path);
    }
}

/// Removes everything that is registered. For a program that is about to be ended by a signal.
pub fn remove_all() {
    for path in std::mem::take(&mut *registered()) {
        remove(&path);
    }
}

/// What cannot be removed is left to the system.
fn remove(path: &Path) {
    let is_directory = fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_dir());
    let _ = if is_directory { fs::remove_dir_all(path) } else { fs::remove_file(path) };
}

/// 64 bits that cannot be guessed: the keys of a hash table come from the system's source of
/// randomness, and its keyed hash reveals nothing about them.
pub fn random_word() -> u64 {
    RandomState::new().build_hasher().finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_are_private_and_go() {
        let made = Temporary::directory(&std::env::temp_dir()).expect("a writable directory");
        let path = made.path().to_owned();
        fs::write(path.join("file"), "text").expect("a writable directory");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = fs::metadata(&path).expect("it is there").permissions().mode();
            assert_eq!(mode & 0o777, 0o700);
        }
        drop(made);
        assert!(!path.exists());
        let kept = Temporary::directory(&std::env::temp_dir()).expect("a writable directory").keep();
        assert!(kept.exists());
        fs::remove_dir(&kept).expect("it is empty");
    }
}
