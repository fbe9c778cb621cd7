//! What the help of each command begins with: commands to type.

pub const LARIAT: &str = "\
Examples:
  lariat check model.pml            look for errors, show a run for the first
  lariat check -D N=3 model.pml     the same, with a macro defined
  lariat view model.pml             the same, shown in a browser
  lariat explore model.pml          choose the steps yourself, in a browser
  lariat simulate -i model.pml      the same, in the terminal
  lariat ltl '[]<>p'                the automaton of a formula
  lariat help stores                about a topic: searches, stores, fairness, formulas";

pub const CHECK: &str = "\
Examples:
  lariat check m.pml                           errors, and what the model states
  lariat check --ltl '[] (x < 3)' m.pml        this formula instead
  lariat check --fairness weak-process m.pml   whoever can move does so at last
  lariat check --search bfs m.pml              a shortest run to an error
  lariat check --html answer.html m.pml        the answer as a page, too
  lariat check --save bug.json m.pml           keep the run, for `lariat replay`
  lariat check --time 5m --memory 4G m.pml     give up then";

pub const SWARM: &str = "\
Examples:
  lariat swarm m.pml                          look for errors for a minute
  lariat swarm --time 10m --memory 8G m.pml   in a model too large for a search";

pub const SIMULATE: &str = "\
Examples:
  lariat simulate --seed 7 m.pml          a random run, the same one each time
  lariat simulate -i m.pml                choose each step
  lariat simulate --trail m.trail m.pml   follow a run that was recorded";

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
  lariat check --save bug.json m.pml   keep the run that shows the error
  lariat replay bug.json               after an edit: fixed, or does it fail?
  lariat replay bug.json other.pml     in another model";

pub const LTL: &str = "\
Examples:
  lariat ltl '[](p -> <>q)'               the automaton, in the HOA format
  lariat ltl --never '<>[]p'              a never claim for SPIN
  lariat ltl --valid '[]p -> <>p'         is it always true?
  lariat ltl --equivalent '!<>p' '[]!p'   do both mean the same?";

pub const GRAPH: &str = "\
Examples:
  lariat graph m.pml                          the states, for `dot -Tsvg`
  lariat graph --processes m.pml              the automata of the processes
  lariat graph --json --max-states 50 m.pml   the first states, as data";

pub const MSC: &str = "\
Examples:
  lariat msc m.pml                             the first counterexample, as SVG
  lariat msc --mermaid --ltl '<> done' m.pml   violates a formula, for Markdown";

#[cfg(test)]
mod tests {
    use crate::cli::Arguments;
    use clap::{CommandFactory, Parser};

    /// The words of a line as a shell sees them; what stands behind two spaces is explanation.
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
            let commands = lines.map(|line| line.trim_start().split("  ").next().unwrap_or_default());
            for line in commands {
                let parsed = Arguments::try_parse_from(words(line));
                assert!(parsed.is_ok(), "{line}: {}", parsed.unwrap_err());
                examples += 1;
            }
        }
        assert!(examples > 20, "{examples}");
    }
}
