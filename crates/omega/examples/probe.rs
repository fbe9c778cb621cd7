use omega::formula::*;
use omega::translate::*;
fn main() {
    let path = std::env::args().nth(1).unwrap();
    let text = std::fs::read_to_string(path).unwrap();
    let filter = std::env::args().nth(2).unwrap_or_default();
    let mut tot: std::collections::BTreeMap<String, (usize, usize, usize, usize, f64, f64)> =
        Default::default();
    for line in text.lines().skip(1) {
        let c: Vec<&str> = line.split('\t').collect();
        if !c[0].contains(&filter) {
            continue;
        }
        let t = cpu();
        let mut st = Formulas::new();
        let f = st.parse(c[2]).unwrap();
        let b = translate(&mut st, f, Options { acceptance: Acceptance::StateBuchi, ..Default::default() })
            .unwrap();
        let el = cpu() - t;
        let a = translate(&mut st, f, Options::default()).unwrap();
        let best = b.state_count();
        let s: usize = c[3].parse().unwrap_or(best);
        let lim: f64 = c[10].parse().unwrap_or(1.0);
        let ts: usize = c[5].parse().unwrap_or(a.state_count());
        let e = tot.entry(c[0].into()).or_default();
        e.0 += s;
        e.1 += best;
        e.2 += ts;
        e.3 += a.state_count();
        e.4 += el;
        e.5 = e.5.max(el / lim);
        if best > s || el > lim * 5.0 || a.state_count() > ts || (filter != "" && best != s) {
            println!(
                "{}\t{}\tspot {}\tours {} tgba {} ({})\t{:.4}s x{:.2}\t{}",
                c[0],
                c[1],
                s,
                best,
                a.state_count(),
                c[5],
                el,
                el / lim,
                &c[2][..c[2].len().min(150)]
            );
        }
    }
    for (k, v) in tot {
        println!(
            "{k}: BA spot {} ours {}  TGBA spot {} ours {}  {:.3}s  x{:.2}",
            v.0, v.1, v.2, v.3, v.4, v.5
        );
    }
}
fn cpu() -> f64 {
    std::fs::read_to_string("/proc/self/schedstat")
        .unwrap()
        .split(' ')
        .next()
        .unwrap()
        .parse::<f64>()
        .unwrap()
        * 1e-9
}
