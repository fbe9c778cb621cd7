//! Values of flags: sizes, durations, macro definitions.

use lariat::model::Define;
use std::time::Duration;

fn split(text: &str) -> (&str, &str) {
    let unit = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    text.split_at(unit)
}

fn scaled(text: &str, units: &[(&str, f64)], example: &str) -> Result<f64, String> {
    let (number, unit) = split(text);
    let number: f64 =
        number.parse().map_err(|_| format!("expected a number, such as {example}"))?;
    let known = units.iter().find(|(name, _)| name.eq_ignore_ascii_case(unit));
    let (_, scale) =
        known.ok_or_else(|| format!("unknown unit `{unit}`; write it as {example}"))?;
    Ok(number * scale)
}

/// `4G`, `512M`, `100000`
pub fn bytes(text: &str) -> Result<u64, String> {
    const KILO: f64 = 1024.0;
    let units = [
        ("", 1.0),
        ("b", 1.0),
        ("k", KILO),
        ("kb", KILO),
        ("m", KILO * KILO),
        ("mb", KILO * KILO),
        ("g", KILO * KILO * KILO),
        ("gb", KILO * KILO * KILO),
        ("t", KILO * KILO * KILO * KILO),
        ("tb", KILO * KILO * KILO * KILO),
    ];
    scaled(text, &units, "4G or 512M").map(|bytes| bytes as u64)
}

/// `90s`, `2m`, `1h`, `500ms`, `10`
pub fn duration(text: &str) -> Result<Duration, String> {
    let units = [
        ("", 1.0),
        ("s", 1.0),
        ("ms", 1e-3),
        ("m", 60.0),
        ("min", 60.0),
        ("h", 3600.0),
        ("d", 86_400.0),
    ];
    let seconds = scaled(text, &units, "90s or 2m")?;
    Duration::try_from_secs_f64(seconds).map_err(|_| "too long".into())
}

/// `NAME` or `NAME=VALUE`
pub fn define(text: &str) -> Result<Define, String> {
    let (name, value) = match text.split_once('=') {
        Some((name, value)) => (name, Some(value.to_string())),
        None => (text, None),
    };
    let starts = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    if !starts || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        return Err(format!("`{name}` is not a name; write NAME or NAME=VALUE"));
    }
    Ok((name.to_string(), value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_times() {
        assert_eq!(bytes("4G"), Ok(4 << 30));
        assert_eq!(bytes("1.5k"), Ok(1536));
        assert_eq!(bytes("77"), Ok(77));
        assert!(
            bytes("").is_err()
                && bytes("4X").is_err()
                && bytes("-1").is_err()
                && bytes("1..2").is_err()
        );
        assert_eq!(duration("90s"), Ok(Duration::from_secs(90)));
        assert_eq!(duration("2m"), Ok(Duration::from_secs(120)));
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        assert!(duration("1e9").is_err() && duration("99999999999999999999d").is_err());
    }

    #[test]
    fn definitions() {
        assert_eq!(define("N=3"), Ok(("N".into(), Some("3".into()))));
        assert_eq!(define("N"), Ok(("N".into(), None)));
        assert_eq!(define("N="), Ok(("N".into(), Some(String::new()))));
        assert!(define("3N").is_err() && define("").is_err() && define("=1").is_err());
    }
}
