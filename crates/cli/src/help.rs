//! `lariat help`, `lariat completions` and `lariat man`, all derived from the definition of the
//! command line.

use super::{Arguments, Exit};
use clap::{Args, CommandFactory};
use std::io::{self, Write};

#[derive(Debug, Args)]
pub struct Help {
    /// A command, or one of the topics searches, stores, fairness, formulas
    topic: Option<String>,
}

const TOPICS: [(&str, &str); 4] = [
    ("searches", include_str!("topics/searches.txt")),
    ("stores", include_str!("topics/stores.txt")),
    ("fairness", include_str!("topics/fairness.txt")),
    ("formulas", include_str!("topics/formulas.txt")),
];

impl Help {
    pub fn run(self) -> anyhow::Result<Exit> {
        let mut command = Arguments::command();
        command.build();
        let mut out = io::stdout().lock();
        let Some(topic) = self.topic else {
            write!(out, "{}", command.render_long_help())?;
            return Ok(Exit::Holds);
        };
        if let Some((_, text)) = TOPICS.iter().find(|(name, _)| *name == topic) {
            out.write_all(text.as_bytes())?;
            return Ok(Exit::Holds);
        }
        if let Some(found) = command.find_subcommand_mut(&topic) {
            write!(out, "{}", found.render_long_help())?;
            return Ok(Exit::Holds);
        }
        let commands = command.get_subcommands().map(|each| each.get_name().to_string());
        let all: Vec<String> =
            TOPICS.iter().map(|(name, _)| (*name).to_string()).chain(commands).collect();
        anyhow::bail!(
            "there is no help on `{}`; the topics are {}",
            lariat::report::printable(&topic),
            all.join(", ")
        )
    }
}

#[derive(Debug, Args)]
pub struct Completions {
    /// The shell
    shell: clap_complete::Shell,
}

impl Completions {
    pub fn run(self) -> anyhow::Result<Exit> {
        let mut text = Vec::new();
        clap_complete::generate(self.shell, &mut Arguments::command(), "lariat", &mut text);
        io::stdout().write_all(&text)?;
        Ok(Exit::Holds)
    }
}

#[derive(Debug, Args)]
pub struct Man {
    /// The command to describe [default: lariat itself]
    command: Option<String>,
}

impl Man {
    pub fn run(self) -> anyhow::Result<Exit> {
        let mut command = Arguments::command();
        command.build();
        let page = match &self.command {
            None => command,
            Some(name) => match command.find_subcommand(name) {
                Some(found) => found.clone(),
                None => anyhow::bail!("there is no command `{}`", lariat::report::printable(name)),
            },
        };
        let mut text = Vec::new();
        clap_mangen::Man::new(page).render(&mut text)?;
        io::stdout().write_all(&text)?;
        Ok(Exit::Holds)
    }
}
