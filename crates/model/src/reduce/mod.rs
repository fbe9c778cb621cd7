pub(crate) mod walk;
