//! Properties of infinite runs: what they are, and checking them.
//!
//! A [`Property`] is what the user states; `monitor` makes of it an automaton of forbidden runs, [`check`](mod@check) searches the product
//! with the program, [`Judge`] replays the run that was found and asks the property itself whether it is violated.

mod assumption;
mod branching;
pub mod check;
mod fair;
mod judge;
pub mod lasso;
mod monitor;
pub mod remedy;
mod unseen;
mod wanted;

pub use assumption::Assumption;
pub use branching::{BranchingFormula, BranchingJudge, Skeleton};
pub use check::{Checked, Choice, check};
pub use judge::{Judge, Judges};
pub use lasso::{Lasso, LassoError};
pub use monitor::{Unsuitable, forbidden_runs, searched_automaton};
pub use remedy::{Advice, Remedy, remedy};
pub use unseen::UnseenLabel;
pub use wanted::{Wanted, all_stated};

use model::program::ProcessType;
use model::{Expr, Program};
use omega::automaton::Tgba;
use omega::formula::{Formula, Node};
use promela::{LtlFormula, PropertyKind};

/// Something that must be true of all infinite runs.
#[derive(Clone, Debug)]
pub struct Property {
    pub name: String,
    pub meaning: Meaning,
    /// How it was asked for.
    pub wanted: Wanted,
}

#[derive(Clone, Debug)]
pub enum Meaning {
    /// The formula holds on every run; runs that come to an end go on forever in their last state.
    Formula(LtlFormula),
    /// The formula of branching time holds in every initial state.
    Branching(Box<BranchingFormula>),
    /// No run is accepted by the claim.
    Claim(Box<ProcessType>),
    /// No run is accepted by the automaton; what each of its atoms stands for.
    Automaton(Box<Tgba>, Vec<Expr>),
    /// No run is at accept labels again and again; one that comes to an end goes on forever in its last state.
    AcceptLabels,
    /// No infinite run stays away from progress labels from some point on.
    Progress,
}

impl Property {
    pub fn new(wanted: Wanted, meaning: Meaning) -> Property {
        Property { name: wanted.name().to_string(), meaning, wanted }
    }

    /// The property as the model states it.
    pub fn stated(property: &promela::Property) -> Property {
        let meaning = match &property.kind {
            PropertyKind::Ltl(formula) => Meaning::Formula(formula.clone()),
            PropertyKind::Never(claim) => Meaning::Claim(claim.clone()),
        };
        Property::new(Wanted::Stated(property.name.clone()), meaning)
    }

    /// The word for its kind in reports.
    pub fn kind(&self) -> &'static str {
        match self.meaning {
            Meaning::Formula(_) => "ltl",
            Meaning::Branching(_) => "ctl",
            Meaning::Claim(_) => "never",
            Meaning::Automaton(..) => "automaton",
            Meaning::AcceptLabels => "accept",
            Meaning::Progress => "progress",
        }
    }

    /// No accept label is passed again and again.
    pub fn accept_labels() -> Property {
        Property::new(Wanted::Stated("accept labels".into()), Meaning::AcceptLabels)
    }
}

/// Does a process of the program have an accept label?
pub fn has_accept_labels(program: &Program) -> bool {
    program.process_types.iter().flat_map(|kind| &kind.locations).any(|location| location.accept)
}

/// A formula without temporal operators as one condition; `None` if it has some.
pub fn condition(of: &LtlFormula) -> Option<Expr> {
    use model::expression::{BinaryOp, UnaryOp};
    fn convert(of: &LtlFormula, formula: Formula) -> Option<Expr> {
        let not = |operand: Expr| Expr::unary(UnaryOp::Not, operand);
        let all = |op: BinaryOp, list: &[Formula]| {
            let mut parts = list.iter().map(|part| convert(of, *part));
            let first = parts.next()??;
            parts.try_fold(first, |left, right| Some(Expr::binary(op, left, right?)))
        };
        Some(match of.formulas.node(formula) {
            Node::True => Expr::Const(1),
            Node::False => Expr::Const(0),
            Node::Atom(atom) => of.atoms.get(atom.0 as usize)?.clone(),
            Node::Not(operand) => not(convert(of, *operand)?),
            Node::And(list) => all(BinaryOp::And, list)?,
            Node::Or(list) => all(BinaryOp::Or, list)?,
            Node::Implies(left, right) => {
                Expr::binary(BinaryOp::Or, not(convert(of, *left)?), convert(of, *right)?)
            }
            Node::Iff(left, right) | Node::Xor(left, right) => {
                let same = matches!(of.formulas.node(formula), Node::Iff(..));
                // Truth values, which may be any numbers, as 0 and 1.
                let (left, right) = (not(convert(of, *left)?), not(convert(of, *right)?));
                Expr::binary(if same { BinaryOp::Equal } else { BinaryOp::NotEqual }, left, right)
            }
            _ => return None,
        })
    }
    convert(of, of.formula)
}
