//! lariat
