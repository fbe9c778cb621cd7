//! SPIN's `.trail` files: one line `depth:pid:statement` per move, two for a rendezvous. The
//! statement is SPIN's own number for it, which lowering keeps in `Origin::number`.
//!
//! Special lines have a negative depth: -4 says that SPIN merged statements, so that only the first of a merged
//! group is recorded; -2 says that a never claim runs, as process 0, the others counting from 1; -1 marks
//! the start of a cycle.

use crate::run::transition;
use model::trace::moves;
use model::{Interpreter, Program, State, Step, System};
use std::fmt::Write;

/// A recorded move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recorded {
    pub pid: u8,
    pub statement: u32,
}

/// A recorded run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trail {
    pub moves: Vec<Recorded>,
    /// How many moves precede the cycle, if there is one.
    pub cycle: Option<usize>,
    /// Moves that SPIN merged with the one before are left out.
    pub merged: bool,
}

/// The text of a trail that SPIN can replay.
pub fn write(program: &Program, steps: &[Step]) -> String {
    let mut text = String::new();
    let taken = steps.iter().flat_map(moves);
    for (index, taken) in taken.enumerate() {
        let number = program.origin(transition(program, &taken).origin).number;
        let _ = writeln!(text, "{}:{}:{number}", index + 1, taken.pid);
    }
    text
}

/// Reads a trail; the error names the line.
pub fn read(text: &str) -> Result<Trail, String> {
    let mut trail = Trail::default();
    let mut claim = false;
    for (index, line) in text.lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        let bad = || format!("line {} is not `depth:process:statement`", index + 1);
        let mut numbers = line.trim().splitn(3, ':').map(str::parse::<i64>);
        let mut next = || numbers.next().and_then(Result::ok).ok_or_else(bad);
        let (depth, process, statement) = (next()?, next()?, next()?);
        match depth {
            -1 => trail.cycle = Some(trail.moves.len()),
            -2 => claim = true,
            -4 => trail.merged = true,
            -8..=-5 => {
                return Err(format!(
                    "line {}: SPIN permuted this search; its trail means nothing here",
                    index + 1
                ));
            }
            ..0 => {}
            _ if claim && process == 0 => {}
            _ => {
                let pid = u8::try_from(process - i64::from(claim)).map_err(|_| bad())?;
                let statement = u32::try_from(statement).map_err(|_| bad())?;
                trail.moves.push(Recorded { pid, statement });
            }
        }
    }
    Ok(trail)
}

/// Why a trail cannot be followed to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lost {
    /// The move, counted from 1, that is not possible.
    pub number: usize,
    pub recorded: Recorded,
}

/// Statements SPIN merges are few; a longer detour is a lost trail.
const MAX_MERGED: usize = 64;

/// Follows a trail from the initial state: the steps taken, as far as they could be.
pub fn follow(program: &Program, trail: &Trail) -> (Vec<Step>, Option<Lost>) {
    let interpreter = Interpreter::new(program);
    let mut steps = Vec::new();
    let Some(mut state) = interpreter.initial_states().ok().and_then(|states| states.into_iter().next())
    else {
        return (steps, None);
    };
    let mut position = 0;
    while let Some(recorded) = trail.moves.get(position) {
        let wanted = &trail.moves[position..];
        let found = direct(program, &interpreter, &state, wanted).map(|(step, next)| (vec![step], next));
        let found = found.or_else(|| detour(program, &interpreter, &state, wanted));
        let Some((taken, next)) = found else {
            return (steps, Some(Lost { number: position + 1, recorded: *recorded }));
        };
        position += taken.last().map_or(1, |step| moves(step).count().max(1));
        steps.extend(taken);
        match next {
            Some(next) => state = next,
            None => break,
        }
    }
    (steps, None)
}

/// The step that makes exactly the moves recorded next, after giving up control if need be.
fn direct(
    program: &Program,
    interpreter: &Interpreter<'_>,
    state: &State,
    wanted: &[Recorded],
) -> Option<(Step, Option<State>)> {
    let mut successors = Vec::new();
    interpreter.successors(state, &mut successors);
    successors
        .into_iter()
        .find(|successor| matches(program, &successor.step, wanted))
        .map(|found| (found.step, found.state))
}

fn matches(program: &Program, step: &Step, wanted: &[Recorded]) -> bool {
    let mut wanted = wanted.iter();
    let mut count = 0;
    let all = moves(step).all(|taken| {
        count += 1;
        let number = program.origin(transition(program, &taken).origin).number;
        wanted.next().is_some_and(|wanted| wanted.pid == taken.pid && wanted.statement == number)
    });
    all && count > 0
}

/// Steps of the same process that SPIN did not record, or control given up, and then the recorded one.
fn detour(
    program: &Program,
    interpreter: &Interpreter<'_>,
    state: &State,
    wanted: &[Recorded],
) -> Option<(Vec<Step>, Option<State>)> {
    let pid = wanted.first()?.pid;
    let mut ways: Vec<(Vec<Step>, State)> = vec![(Vec::new(), state.clone())];
    for _ in 0..MAX_MERGED {
        let mut longer = Vec::new();
        for (steps, state) in ways {
            let mut successors = Vec::new();
            interpreter.successors(&state, &mut successors);
            for successor in successors {
                let own = match successor.step {
                    Step::Release(_) => true,
                    Step::Move(taken) => taken.pid == pid,
                    Step::Rendezvous { .. } | Step::Refused(_) => false,
                };
                let Some(next) = successor.state.filter(|_| own) else { continue };
                let mut steps = steps.clone();
                steps.push(successor.step);
                if let Some((step, end)) = direct(program, interpreter, &next, wanted) {
                    steps.push(step);
                    return Some((steps, end));
                }
                if longer.iter().all(|(_, known)| *known != next) {
                    longer.push((steps, next));
                }
            }
        }
        longer.truncate(MAX_MERGED);
        ways = longer;
        if ways.is_empty() {
            return None;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_spin_writes() {
        let trail = read("-4:-4:-4\n1:0:7\n2:1:8\n-1:-1:-1\n3:0:9\n").unwrap();
        assert!(trail.merged);
        assert_eq!(trail.cycle, Some(2));
        assert_eq!(trail.moves[1], Recorded { pid: 1, statement: 8 });
    }

    #[test]
    fn a_claim_shifts_processes() {
        let trail = read("-2:0:-2\n-4:-4:-4\n0:0:3\n1:1:5\n").unwrap();
        assert_eq!(trail.moves, [Recorded { pid: 0, statement: 5 }]);
    }

    #[test]
    fn names_the_bad_line() {
        for text in ["x", "1:2", "1:2:3\n1:300:3", "1:2:-9", "\u{0}", "1:2:99999999999999999999"] {
            assert!(read(text).unwrap_err().starts_with("line "), "{text}");
        }
        assert!(read("-5:1:1").is_err());
    }
}
