//! "Did you mean …?": the closest of several names. It knows only strings.

/// The candidate closest to `name`, if it is close enough to be a typing error: at most a third of
/// the letters differ and at least one agrees. Ties go to the first candidate.
pub fn closest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let letters = name.chars().count();
    let allowed = (letters / 3).max(1);
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        if candidate == name || candidate.chars().count().abs_diff(letters) > allowed {
            continue;
        }
        if name.to_lowercase() == candidate.to_lowercase() {
            return Some(candidate);
        }
        let distance = distance(name, candidate);
        if distance <= allowed
            && distance < letters
            && best.is_none_or(|(least, _)| distance < least)
        {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Edit distance with transpositions of adjacent letters (optimal string alignment).
fn distance(left: &str, right: &str) -> usize {
    let left: Vec<char> = left.chars().collect();
    let right: Vec<char> = right.chars().collect();
    let mut before = vec![0; right.len() + 1];
    let mut previous: Vec<usize> = (0..=right.len()).collect();
    for i in 1..=left.len() {
        let mut current = vec![i; right.len() + 1];
        for j in 1..=right.len() {
            let replaced = previous[j - 1] + usize::from(left[i - 1] != right[j - 1]);
            current[j] = replaced.min(previous[j] + 1).min(current[j - 1] + 1);
            if i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1] {
                current[j] = current[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut previous, current);
    }
    previous[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_intended_name() {
        let names = ["turn", "flag", "critical", "x"];
        for (written, meant) in [
            ("turm", Some("turn")),
            ("trun", Some("turn")),
            ("Flag", Some("flag")),
            ("critcal", Some("critical")),
            ("y", None),
            ("banana", None),
            ("turn", None),
            ("", None),
        ] {
            assert_eq!(closest(written, names), meant, "{written}");
        }
    }
}
