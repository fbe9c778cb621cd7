//! Message sequence charts (ITU-T Z.120) of a trace: a lane per process, arrows for messages.

pub mod mermaid;
pub mod svg;

/// The text, cut to `most` characters with an ellipsis at the end.
fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_string();
    }
    text.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}
