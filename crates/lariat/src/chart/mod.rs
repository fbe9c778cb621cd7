//! Message sequence charts (ITU-T Z.120) of a trace: a lane per process, arrows for messages.

pub mod mermaid;
pub mod svg;

/// Text cut to so many characters, with an ellipsis where something is missing.
fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_string();
    }
    text.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}
