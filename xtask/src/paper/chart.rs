//! Line charts as SVG.

use std::fmt::Write;

const WIDTH: f64 = 560.0;
const HEIGHT: f64 = 360.0;
const LEFT: f64 = 56.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 36.0;
const BOTTOM: f64 = 48.0;
const COLOURS: [&str; 6] = ["#1b6ca8", "#c0392b", "#2e8b57", "#8e44ad", "#b9770e", "#555555"];

pub struct Line {
    pub name: String,
    pub points: Vec<(f64, f64)>,
}

/// `x` ranges from 0 to 100, `y` from 100 to `highest`, both in percent; higher values are clipped.
pub fn render(title: &str, x: &str, y: &str, highest: f64, lines: &[Line]) -> String {
    let across = |value: f64| LEFT + value / 100.0 * (WIDTH - LEFT - RIGHT);
    let up = |value: f64| {
        HEIGHT - BOTTOM - (value - 100.0) / (highest - 100.0) * (HEIGHT - TOP - BOTTOM)
    };
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n\
         <text x=\"{LEFT}\" y=\"20\" font-size=\"14\">{title}</text>\n"
    );
    for percent in (0..=100).step_by(20) {
        let place = across(f64::from(percent));
        let _ = writeln!(
            out,
            "<line x1=\"{place:.1}\" y1=\"{TOP}\" x2=\"{place:.1}\" y2=\"{:.1}\" stroke=\"#ddd\"/>",
            HEIGHT - BOTTOM
        );
        let _ = writeln!(
            out,
            "<text x=\"{place:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{percent}</text>",
            HEIGHT - BOTTOM + 16.0
        );
    }
    let step = (highest - 100.0) / 5.0;
    for tick in 0..=5 {
        let value = 100.0 + f64::from(tick) * step;
        let place = up(value);
        let _ = writeln!(
            out,
            "<line x1=\"{LEFT}\" y1=\"{place:.1}\" x2=\"{:.1}\" y2=\"{place:.1}\" stroke=\"#ddd\"/>",
            WIDTH - RIGHT
        );
        let _ = writeln!(
            out,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{value:.0}</text>",
            LEFT - 6.0,
            place + 4.0
        );
    }
    let _ = writeln!(
        out,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{x}</text>",
        (LEFT + WIDTH - RIGHT) / 2.0,
        HEIGHT - 12.0
    );
    let _ = writeln!(
        out,
        "<text transform=\"translate(14 {:.1}) rotate(-90)\" text-anchor=\"middle\">{y}</text>",
        HEIGHT / 2.0
    );
    for (number, line) in lines.iter().enumerate() {
        let colour = COLOURS[number % COLOURS.len()];
        let shown = line.points.iter().filter(|point| point.1 <= highest);
        let points: Vec<String> = shown
            .map(|point| format!("{:.1},{:.1}", across(point.0), up(point.1.max(100.0))))
            .collect();
        let _ = writeln!(
            out,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>",
            points.join(" ")
        );
        let height = TOP + 14.0 + number as f64 * 16.0;
        let _ = writeln!(
            out,
            "<text x=\"{:.1}\" y=\"{height:.1}\" text-anchor=\"end\" fill=\"{colour}\">{}</text>",
            WIDTH - RIGHT - 6.0,
            line.name
        );
    }
    out + "</svg>\n"
}
