//! Program × automaton as a system, so that every search over systems is a search over products.
//!
//! A state of the product is a state of the program and one of the automaton. The latter is stored
//! in unused bits of the program's words if there are enough, otherwise in an additional first
//! word. The automaton moves first: it reads the state, then the program makes a step. Inside an
//! atomic sequence the automaton pauses, which a bit next to its state records. Where nothing can
//! move, the run stutters forever in its last state, and the automaton with it. Errors of the
//! program's steps are noted; the check for errors reports them. A condition without a value is an
//! error of the product.

mod encoding;
mod successors;

use crate::product::monitor::Monitor;
use lariat_ir::RuntimeError;
use lariat_ir::layout::Field;
use lariat_ir::observe::Observable;
use lariat_ir::system::Width;
use std::fmt;
use std::sync::Arc;

/// The product of a program and a [`Monitor`].
pub struct Product<'m, S: Observable> {
    system: S,
    monitor: &'m Monitor,
    conditions: Arc<S::Conditions>,
    program_width: Width,
    /// The field of the automaton's state. The bit above it is set while the automaton pauses.
    automaton_field: Field,
    /// Is the demon of `magic` part of the state? Its bit is above the pause bit.
    demon: bool,
    /// 1 if the automaton has a word of its own, the first.
    offset: usize,
    /// An additional last word holds the marks with which a state was reached, and a condition
    /// without a value is a failing step.
    marked: bool,
    absorption: Absorption,
    may_fail: bool,
}

/// The automaton states in which runs of the product end, because every continuation is forbidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::product) enum Absorption {
    /// None: fairness depends on the steps that follow.
    Never,
    /// States that accept every word, of an automaton of the forbidden runs.
    Universal,
    /// Also states that accept no word, of a deterministic automaton of the allowed runs.
    UniversalOrRejecting,
}

impl Absorption {
    #[inline]
    pub fn ends_in(self, monitor: &Monitor, automaton: u32) -> bool {
        match self {
            Absorption::Never => false,
            Absorption::Universal => monitor.is_universal(automaton),
            Absorption::UniversalOrRejecting => {
                monitor.is_universal(automaton) || monitor.absorbing(automaton) == Some(0)
            }
        }
    }
}

/// The data that a state of the product has besides the states of program and automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ProductKind {
    Unmarked,
    Marked,
    MarkedWithDemon,
}

impl<S: Observable> fmt::Debug for Product<'_, S> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Product")
            .field("automaton_field", &self.automaton_field)
            .finish_non_exhaustive()
    }
}

impl<'m, S: Observable> Product<'m, S> {
    /// For searches over systems. The only errors are conditions without a value, and states from
    /// which every continuation is forbidden.
    pub fn new(system: S, monitor: &'m Monitor) -> Product<'m, S> {
        Product::make(system, monitor, ProductKind::Unmarked).absorbing()
    }

    /// Lets runs end where every continuation is forbidden.
    pub(in crate::product) fn absorbing(self) -> Product<'m, S> {
        let absorption =
            if self.monitor.stutters() { Absorption::Universal } else { Absorption::Never };
        Product { absorption, ..self }
    }

    /// Lets runs end where every continuation is forbidden by a deterministic automaton of the
    /// allowed runs, too.
    pub(in crate::product) fn absorbing_rejection(self) -> Product<'m, S> {
        match self.absorption {
            Absorption::Never => self,
            _ => Product { absorption: Absorption::UniversalOrRejecting, ..self },
        }
    }

    pub(in crate::product) fn absorbs(&self) -> bool {
        self.absorption != Absorption::Never
    }

    pub(in crate::product) fn absorption(&self) -> Absorption {
        self.absorption
    }

    /// For searches that use marks.
    pub(in crate::product) fn marked(system: S, monitor: &'m Monitor) -> Product<'m, S> {
        Product::make(system, monitor, ProductKind::Marked)
    }

    /// For searches that use marks, with a demon that no step changes; see
    /// [`set_demon`](Self::set_demon).
    pub(in crate::product) fn with_demon(system: S, monitor: &'m Monitor) -> Product<'m, S> {
        Product::make(system, monitor, ProductKind::MarkedWithDemon)
    }

    fn make(system: S, monitor: &'m Monitor, kind: ProductKind) -> Product<'m, S> {
        let conditions = Arc::new(system.conditions(monitor.conditions()));
        Product::with_conditions(system, monitor, conditions, kind)
    }

    fn with_conditions(
        system: S,
        monitor: &'m Monitor,
        conditions: Arc<S::Conditions>,
        kind: ProductKind,
    ) -> Product<'m, S> {
        let (marked, demon) = (kind != ProductKind::Unmarked, kind == ProductKind::MarkedWithDemon);
        let program_width = system.width();
        let bits = system.identity_bits();
        let width = usize::BITS - monitor.states().saturating_sub(1).leading_zeros();
        let roomiest = bits.iter().enumerate().min_by_key(|(_, used)| **used);
        let (word, offset) = match roomiest {
            Some((word, used)) if used + width + u32::from(demon) < u64::BITS => (word, *used),
            _ => (0, u64::BITS),
        };
        let offset_words = usize::from(offset == u64::BITS);
        let shift = if offset_words == 1 { 0 } else { offset as u8 };
        let automaton_field = Field { word: word as u32, shift, width: width as u8, low: 0 };
        let may_fail = monitor.may_fail();
        Product {
            system,
            monitor,
            conditions,
            program_width,
            automaton_field,
            demon,
            offset: offset_words,
            marked,
            absorption: Absorption::Never,
            may_fail,
        }
    }

    /// The program.
    pub fn system(&self) -> &S {
        &self.system
    }

    pub(in crate::product) fn conditions(&self) -> &Arc<S::Conditions> {
        &self.conditions
    }

    /// The product with another layout of the program's states.
    pub(in crate::product) fn with_system(
        &self,
        system: S,
        conditions: Arc<S::Conditions>,
    ) -> Product<'m, S> {
        let kind = match (self.marked, self.demon) {
            (false, _) => ProductKind::Unmarked,
            (true, false) => ProductKind::Marked,
            (true, true) => ProductKind::MarkedWithDemon,
        };
        let other = Product::with_conditions(system, self.monitor, conditions, kind);
        Product { absorption: self.absorption, ..other }
    }

    /// A copy of the product.
    pub(in crate::product) fn again(&self) -> Product<'m, S> {
        self.with_system(self.system.again(), Arc::clone(&self.conditions))
    }

    /// Computes the values of the monitor's conditions in a state of the program.
    pub(in crate::product) fn letter(
        &self,
        program_state: &[u64],
        letter: &mut Vec<u64>,
    ) -> Result<(), RuntimeError> {
        letter.clear();
        letter.resize(self.monitor.conditions().len().div_ceil(64), 0);
        self.system.observe(&self.conditions, program_state, letter)
    }

    /// The width of the program's states.
    pub(in crate::product) fn program_width(&self) -> Width {
        self.program_width
    }

    pub(in crate::product) fn monitor(&self) -> &'m Monitor {
        self.monitor
    }
}
