//! Markdown tables with aligned columns, readable on a terminal.

/// The first column is left-aligned, the others right-aligned.
pub fn render(headings: &[&str], rows: &[Vec<String>]) -> String {
    let widths: Vec<usize> = (0..headings.len())
        .map(|column| {
            let cells =
                rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count());
            cells.chain([headings[column].chars().count(), 3]).max().unwrap_or(3)
        })
        .collect();
    let line = |cells: &mut dyn Iterator<Item = &str>| {
        let padded = cells.zip(&widths).enumerate().map(|(column, (cell, &width))| {
            if column == 0 { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
        });
        format!("| {} |\n", padded.collect::<Vec<_>>().join(" | "))
    };
    let mut text = line(&mut headings.iter().copied());
    let rules = widths.iter().enumerate().map(|(column, &width)| {
        if column == 0 { "-".repeat(width + 2) } else { format!("{}:", "-".repeat(width + 1)) }
    });
    text += &format!("|{}|\n", rules.collect::<Vec<_>>().join("|"));
    for row in rows {
        text += &line(&mut row.iter().map(String::as_str));
    }
    text
}

/// A number with about three significant digits; a dash if absent.
pub fn number(value: Option<f64>) -> String {
    match value {
        None => "–".to_owned(),
        Some(value) if value >= 100.0 => format!("{value:.0}"),
        Some(value) if value >= 10.0 => format!("{value:.1}"),
        Some(value) => format!("{value:.2}"),
    }
}

/// An integer with its digits in groups of three.
pub fn grouped(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aligned() {
        let text = render(&["name", "n"], &[vec!["a".to_owned(), "1234".to_owned()]]);
        assert_eq!(text, "| name |    n |\n|------|-----:|\n| a    | 1234 |\n");
        assert_eq!(grouped(1_234_567), "1 234 567");
        assert_eq!((number(Some(2.5049)), number(None)), ("2.50".to_owned(), "–".to_owned()));
    }
}
