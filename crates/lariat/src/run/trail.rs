//! SPIN's `.trail` files: one line `depth:pid:statement` per move, two lines for a rendezvous. The
//! statement is SPIN's number, which lowering stores in `Origin::number`.
//!
//! Special lines have a negative depth. -4: SPIN merged statements, and only the first of a merged
//! group is recorded. -2: a never claim runs as process 0, and the other processes count from 1.
//! -1: the cycle starts here.

use super::steps::transition;
use lariat_ir::system::Move;
use lariat_ir::trace::moves;
use lariat_ir::{Interpreter, Program, State, Step, Successor};
use std::collections::HashSet;
use std::fmt::Write;

/// A recorded move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// The process number.
    pub pid: u8,
    /// SPIN's number of the statement.
    pub statement: u32,
}

/// A recorded run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trail {
    /// The moves, in order.
    pub moves: Vec<Recorded>,
    /// The number of moves before the cycle, if there is one.
    pub cycle: Option<usize>,
    /// Moves that SPIN merged with their predecessor are not recorded.
    pub merged: bool,
}

/// The text of a trail that SPIN can replay. No claim is recorded, so SPIN shows the run of the
/// program alone.
pub fn write(program: &Program, prefix: &[Step], cycle: &[Step]) -> String {
    let mut text = String::new();
    let mut depth = 0;
    let mut append = |text: &mut String, steps: &[Step]| {
        for taken in steps.iter().flat_map(written) {
            depth += 1;
            let number = program.origin(transition(program, &taken).origin).number;
            let _ = writeln!(text, "{depth}:{}:{number}", taken.pid);
        }
    };
    append(&mut text, prefix);
    if !cycle.is_empty() {
        text += "-1:-1:-1\n";
        append(&mut text, cycle);
    }
    text
}

/// The moves that SPIN records, including a refused one.
fn written(step: &Step) -> impl Iterator<Item = Move> {
    let refused = if let Step::Refused(refused) = step { Some(*refused) } else { None };
    moves(step).chain(refused)
}

/// Reads a trail.
///
/// # Errors
/// The line that is wrong.
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
                    "line {}: SPIN permuted this search, so its trail cannot be followed here",
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

/// The move at which a trail cannot be followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lost {
    /// The number of the move, counted from 1.
    pub number: usize,
    /// The move that is not possible.
    pub recorded: Recorded,
}

/// The steps of a program along a trail.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FollowedTrail {
    /// The steps up to the end of the trail, or to the first move that is not possible.
    pub steps: Vec<Step>,
    /// The number of steps before the cycle, if there is one.
    pub cycle: Option<usize>,
    /// The move that is not possible.
    pub lost: Option<Lost>,
}

/// The most unrecorded steps between two recorded moves.
const MAX_DETOUR: usize = 64;
/// The most states visited in search of unrecorded steps.
const MAX_DETOUR_STATES: usize = 4096;

/// Follows a trail from the initial state.
pub fn follow(program: &Program, trail: &Trail) -> FollowedTrail {
    let interpreter = Interpreter::new(program);
    let follower = Follower { program, interpreter };
    let mut followed = FollowedTrail::default();
    let initial = follower.interpreter.initial_states().unwrap_or_default().into_iter().next();
    let Some(mut state) = initial else { return followed };
    let mut position = 0;
    while let Some(recorded) = trail.moves.get(position) {
        if trail.cycle == Some(position) {
            followed.cycle = Some(followed.steps.len());
        }
        let Some((taken, next)) = follower.next(&state, &trail.moves, position) else {
            followed.lost = Some(Lost { number: position + 1, recorded: *recorded });
            return followed;
        };
        position += taken.last().map_or(1, |step| written(step).count());
        followed.steps.extend(taken);
        match next {
            Some(next) => state = next,
            None => return followed,
        }
    }
    match trail.cycle {
        // Nothing moves after the last step.
        Some(cycle) => {
            followed.cycle = followed.cycle.or((cycle >= position).then_some(followed.steps.len()))
        }
        None if trail.merged => followed.steps.extend(follower.to_error(&state)),
        None => {}
    }
    followed
}

struct Follower<'p> {
    program: &'p Program,
    interpreter: Interpreter<'p>,
}

/// Steps and the state after them, unless an error stopped the last step.
type Detour = (Vec<Step>, Option<State>);

impl Follower<'_> {
    /// The step of the moves recorded at `position`, preceded by unrecorded steps if necessary:
    /// steps that SPIN merged into recent moves of the same processes, and releases of control.
    fn next(&self, state: &State, recorded: &[Recorded], position: usize) -> Option<Detour> {
        let wanted = &recorded[position..];
        let movers: Vec<u8> =
            recorded[position.saturating_sub(2)..=position].iter().map(|each| each.pid).collect();
        self.shortest(
            state,
            |successor| self.matches(&successor.step, wanted),
            |state, step| {
                moves(step)
                    .all(|taken| movers.contains(&taken.pid) || state.exclusive == Some(taken.pid))
            },
        )
    }

    /// SPIN stops at an error, so the steps merged into the last move are a shortest path to one.
    fn to_error(&self, state: &State) -> Vec<Step> {
        if self.is_error_state(state) {
            return Vec::new();
        }
        let found = self.shortest(
            state,
            |successor| {
                !successor.errors.is_empty()
                    || successor.state.as_ref().is_some_and(|state| self.is_error_state(state))
            },
            |_, _| true,
        );
        found.map_or_else(Vec::new, |(steps, _)| steps)
    }

    fn is_error_state(&self, state: &State) -> bool {
        let mut successors = Vec::new();
        self.interpreter.successors(state, &mut successors);
        successors.is_empty() && !self.interpreter.is_valid_end(state)
    }

    /// The shortest path, breadth-first over allowed steps, that ends with a wanted step.
    fn shortest(
        &self,
        state: &State,
        is_wanted: impl Fn(&Successor) -> bool,
        is_allowed: impl Fn(&State, &Step) -> bool,
    ) -> Option<Detour> {
        let mut frontier: Vec<(Vec<Step>, State)> = vec![(Vec::new(), state.clone())];
        let mut known = HashSet::from([state.clone()]);
        for _ in 0..MAX_DETOUR {
            let mut longer = Vec::new();
            for (steps, state) in frontier {
                let mut successors = Vec::new();
                self.interpreter.successors(&state, &mut successors);
                if let Some(found) = successors.iter().position(&is_wanted) {
                    let found = successors.swap_remove(found);
                    return Some((extended(&steps, found.step), found.state));
                }
                for successor in successors {
                    let Some(next) = successor.state else { continue };
                    if is_allowed(&state, &successor.step)
                        && known.len() < MAX_DETOUR_STATES
                        && known.insert(next.clone())
                    {
                        longer.push((extended(&steps, successor.step), next));
                    }
                }
            }
            frontier = longer;
        }
        None
    }

    /// Does the step consist of exactly the moves recorded next?
    fn matches(&self, step: &Step, wanted: &[Recorded]) -> bool {
        let mut count = 0;
        let all = written(step).all(|taken| {
            let number = self.program.origin(transition(self.program, &taken).origin).number;
            let this = Recorded { pid: taken.pid, statement: number };
            count += 1;
            wanted.get(count - 1) == Some(&this)
        });
        all && count > 0
    }
}

fn extended(steps: &[Step], step: Step) -> Vec<Step> {
    let mut longer = steps.to_vec();
    longer.push(step);
    longer
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
