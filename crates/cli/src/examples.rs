//! Examples at the start of each command's help.

pub const LARIAT: &str = "\
Examples:
  lariat check model.pml            search for errors, show a counterexample
  lariat check -D N=3 model.pml     the same, with a macro defined
  lariat view model.pml             the same, shown in a browser
  lariat explore model.pml          choose the steps yourself, in a browser
  lariat simulate -i model.pml      the same, in the terminal
  lariat ltl '[]<>p'                the automaton of a formula
  lariat help stores                about a topic: searches, stores, fairness, formulas";

pub const CHECK: &str = "\
Examples:
  lariat check m.pml                           errors, and the properties of the model
  lariat check --ltl '[] (x < 3)' m.pml        this formula instead
  lariat check --fairness weak-process m.pml   assume a weakly fair scheduler
  lariat check --search bfs m.pml              a shortest counterexample
  lariat check --html answer.html m.pml        also write the report as a page
  lariat check --save bug.json m.pml           save the run for `lariat replay`
  lariat check --time 5m --memory 4G m.pml     with limits";

pub const SWARM: &str = "\
Examples:
  lariat swarm m.pml                          search for errors for a minute
  lariat swarm --time 10m --memory 8G m.pml   for a model too large to search";

pub const SIMULATE: &str = "\
Examples:
  lariat simulate --seed 7 m.pml          a reproducible random run
  lariat simulate -i m.pml                choose each step
  lariat simulate --trail m.trail m.pml   replay a recorded run";

pub const VIEW: &str = "\
Examples:
  lariat view m.pml                           check, then open the page
  lariat view --no-open --html a.html m.pml   only write the page";

pub const EXPLORE: &str = "\
Examples:
  lariat explore m.pml             check, then choose steps in a browser
  lariat explore --no-open m.pml   print the address, on this machine only";

pub const REPLAY: &str = "\
Examples:
  lariat check --save bug.json m.pml   save the counterexample
  lariat replay bug.json               after an edit: does it still fail?
  lariat replay bug.json other.pml     in another model";

pub const LTL: &str = "\
Examples:
  lariat ltl '[](p -> <>q)'               the automaton, in the HOA format
  lariat ltl --never '<>[]p'              a never claim for SPIN
  lariat ltl --valid '[]p -> <>p'         is the formula valid?
  lariat ltl --equivalent '!<>p' '[]!p'   are the formulas equivalent?";

pub const GRAPH: &str = "\
Examples:
  lariat graph m.pml                          the states, for `dot -Tsvg`
  lariat graph --processes m.pml              the automata of the processes
  lariat graph --json --max-states 50 m.pml   the first states, as data";

pub const MSC: &str = "\
Examples:
  lariat msc m.pml                             the first counterexample, as SVG
  lariat msc --mermaid --ltl '<> done' m.pml   a run that violates a formula, for Markdown";

#[cfg(test)]
mod tests {
    use crate::Arguments;
    use clap::{CommandFactory, Parser};

    /// Splits a command line into words like a shell; quotes group words.
    fn words(line: &str) -> Vec<String> {
        let quoted = line.split('\'').enumerate();
        quoted
            .flat_map(|(part, text)| match part % 2 {
                0 => text.split_whitespace().map(String::from).collect(),
                _ => vec![text.to_string()],
            })
            .collect()
    }

    #[test]
    fn help_begins_with_examples_that_can_be_typed() {
        let mut command = Arguments::command();
        command.build();
        let mut examples = 0;
        for each in command.get_subcommands_mut() {
            let name = each.get_name().to_string();
            if ["completions", "man", "help"].contains(&name.as_str()) {
                continue;
            }
            let help = each.render_long_help().to_string();
            assert!(help.starts_with("Examples:\n"), "{name}");
            let lines = help.lines().skip(1).take_while(|line| !line.is_empty());
            let commands =
                lines.map(|line| line.trim_start().split("  ").next().unwrap_or_default());
            for line in commands {
                let parsed = Arguments::try_parse_from(words(line));
                assert!(parsed.is_ok(), "{line}: {}", parsed.unwrap_err());
                examples += 1;
            }
        }
        assert!(examples > 20, "{examples}");
    }
}
