//! The machine, date and versions of a benchmark run, without host name and paths.

use std::fs;
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};

use crate::process;

#[derive(Debug, Clone)]
pub struct Machine {
    pub date: String,
    pub processor: String,
    pub cores: usize,
    pub memory_megabytes: u64,
    pub system: String,
    pub spin: String,
    pub compiler: String,
    pub lariat: String,
    /// The load average at the start: above 1, times are unreliable.
    pub load: String,
}

impl Machine {
    /// Reads the properties from the system; an unavailable one is "unknown".
    pub fn observe(lariat: Option<&std::path::Path>) -> Self {
        let cpu = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let memory = fs::read_to_string("/proc/meminfo").unwrap_or_default();
        let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
        let kilobytes = value_of(&memory, "MemTotal")
            .and_then(|text| text.split(' ').next()?.parse::<u64>().ok());
        let version = lariat.map_or_else(
            || "not run".to_owned(),
            |program| first_line(Command::new(program).arg("--version")),
        );
        Self {
            date: first_line(Command::new("date").args(["-u", "+%Y-%m-%d"])),
            processor: value_of(&cpu, "model name").unwrap_or("unknown").to_owned(),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            memory_megabytes: kilobytes.unwrap_or_default() / 1024,
            system: first_line(Command::new("uname").args(["-s", "-r", "-m"])),
            spin: first_line(Command::new("spin").arg("-V")),
            compiler: first_line(Command::new("cc").arg("--version")),
            lariat: version,
            load: load.split(' ').next().unwrap_or("unknown").to_owned(),
        }
    }

    /// The name of a result file: the date and the processor in lower case.
    pub fn file_stem(&self) -> String {
        let words =
            self.processor.to_lowercase().replace(|c: char| !c.is_ascii_alphanumeric(), "-");
        let words: Vec<&str> = words.split('-').filter(|word| !word.is_empty()).collect();
        format!("{}-{}-{}-cores", self.date, words.join("-"), self.cores)
    }

    /// A paragraph with the machine, the versions and the number of repeats.
    pub fn setting(&self, repeats: usize) -> String {
        format!(
            "{}, {} cores, {} MB, {}; load {} at the start. {}. {}. Lariat: {}. Medians of {repeats} interleaved run{}.\n\n",
            self.processor,
            self.cores,
            self.memory_megabytes,
            self.system,
            self.load,
            self.spin.trim_end_matches('.'),
            self.compiler.trim_end_matches('.'),
            self.lariat,
            if repeats == 1 { "" } else { "s" },
        )
    }

    pub fn json(&self) -> Value {
        json!({
            "date": self.date,
            "processor": self.processor,
            "cores": self.cores,
            "memory_megabytes": self.memory_megabytes,
            "system": self.system,
            "spin": self.spin,
            "compiler": self.compiler,
            "lariat": self.lariat,
            "load": self.load,
        })
    }
}

/// The value of a line `name   : value` in a file of `/proc`.
fn value_of<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let line = text.lines().find(|line| line.starts_with(name))?;
    Some(line.split_once(':')?.1.trim())
}

fn first_line(command: &mut Command) -> String {
    let finished = process::run(command, Duration::from_secs(20)).ok();
    let line = finished.and_then(|finished| finished.stdout.lines().next().map(str::to_owned));
    line.unwrap_or_else(|| "unknown".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proc_files() {
        let text = "processor\t: 0\nmodel name\t: A (TM) 7\nMemTotal:  2048 kB\n";
        assert_eq!(value_of(text, "model name"), Some("A (TM) 7"));
        assert_eq!(value_of(text, "MemTotal"), Some("2048 kB"));
        assert_eq!(value_of(text, "absent"), None);
    }
}
