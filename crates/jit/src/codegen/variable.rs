//! Variables: elements of arrays, reads, and stores converted to the variable's domain.

use crate::codegen::Generator;
use crate::codegen::state_view::{Index, StateView};
use crate::codegen::value::{Operand, Value};
use crate::plan::mask;
use cranelift_codegen::ir::InstBuilder;
use cranelift_codegen::ir::condcodes::IntCC;
use lariat_ir::domain::Domain;
use lariat_ir::expression::{BinaryOp, Expr, Place, Scope};
use lariat_ir::layout::{Cells, Interval};
use lariat_ir::program::Variable;

impl Generator<'_, '_> {
    /// The element that the indices select. Bails out if one is out of range.
    pub fn element(&mut self, view: &StateView, variable: &Variable, indices: &[Expr]) -> Index {
        let mut element = Value::constant(0);
        for (index, &dimension) in indices.iter().zip(&variable.dimensions) {
            let index = self.value(view, index);
            let last = i64::from(dimension) - 1;
            let index = if index.is_within(0, last) {
                index
            } else if index.range.high < 0 || index.range.low > last {
                self.bail_out();
                Value::constant(0)
            } else {
                let number = self.number(index);
                let inside = self.compare(IntCC::UnsignedLessThanOrEqual, number, last as i32);
                self.require(Value::truth(inside));
                Value {
                    operand: Operand::Number(number),
                    range: index.range.meet(Interval { low: 0, high: last }),
                }
            };
            if element.as_constant() == Some(0) {
                element = index;
            } else {
                let row =
                    self.binary(BinaryOp::Multiply, element, Value::constant(dimension as i32));
                element = self.binary(BinaryOp::Add, row, index);
            }
        }
        Index::of(element)
    }

    /// The element that a place selects.
    pub fn place_element(&mut self, view: &StateView, place: &Place) -> Index {
        match self.plan.variable(view.actor, place) {
            Some((variable, _)) => self.element(view, variable, &place.indices),
            None => Index::Fixed(0),
        }
    }

    pub fn read_place(&mut self, view: &StateView, place: &Place) -> Value {
        let Some((variable, cells)) = self.plan.variable(view.actor, place) else {
            self.bail_out();
            return Value::constant(0);
        };
        if let Some(promoted) = view.promoted(place) {
            let number = self.builder.use_var(promoted.register);
            return Value::number(number, promoted.range);
        }
        let index = self.element(view, variable, &place.indices);
        if place.scope == Scope::Local
            && let Cells::Constant(_) = cells
            && !view.provisional.is_empty()
        {
            match index {
                Index::Fixed(element) => {
                    if let Some(value) = view.provisional.get(&(place.variable.0, element)) {
                        return Value::constant(*value);
                    }
                }
                Index::Variable(_) => self.bail_out(),
            }
        }
        self.read_cells(view, cells, index, variable.domain)
    }

    pub fn read_cells(
        &mut self,
        view: &StateView,
        cells: &Cells,
        index: Index,
        domain: Domain,
    ) -> Value {
        let allowed = Interval::of_domain(domain);
        match (cells, index) {
            (_, Index::Fixed(element)) => self.read_field(view, cells.field(element), allowed),
            (Cells::Constant(values), Index::Variable(index)) => {
                self.table_entry(values.clone(), index)
            }
            (Cells::Row { row, low, count }, Index::Variable(_)) => {
                let cell = self.read_cell(view, row, index, *count);
                let high = i64::from(*low) + mask(row.width) as i64;
                let range = Interval { low: i64::from(*low), high }.meet(allowed);
                self.number_in_cell(cell, 0, row.width, *low, range)
            }
        }
    }

    /// The value that storing into the domain yields. Bails out if the domain rejects it.
    pub fn convert_to_domain(&mut self, value: Value, domain: Domain) -> Value {
        let allowed = Interval::of_domain(domain);
        if allowed.contains(value.range) {
            return value;
        }
        if let Some(constant) = value.as_constant() {
            return match domain.store(constant) {
                Some(stored) => Value::constant(stored),
                None => {
                    self.bail_out();
                    Value::constant(domain.default_value())
                }
            };
        }
        let number = self.number(value);
        match domain {
            Domain::Bits { bits, signed: false } => {
                let ones = self.number_constant(mask(bits) as i32);
                Value::number(self.builder.ins().band(number, ones), allowed)
            }
            Domain::Bits { bits, signed: true } => {
                let unused = self.number_constant(32 - i32::from(bits));
                let up = self.builder.ins().ishl(number, unused);
                Value::number(self.builder.ins().sshr(up, unused), allowed)
            }
            Domain::Range { low, high } => {
                let low_number = self.number_constant(low);
                let distance = self.builder.ins().isub(number, low_number);
                let inside =
                    self.compare(IntCC::UnsignedLessThanOrEqual, distance, high.wrapping_sub(low));
                self.require(Value::truth(inside));
                let range = value.range.meet(allowed);
                if range.low > range.high {
                    return Value::constant(low);
                }
                Value::number(number, range)
            }
        }
    }

    /// Stores a value, converted to the variable's domain.
    pub fn store(&mut self, view: &mut StateView, place: &Place, index: Index, value: Value) {
        let Some((variable, cells)) = self.plan.variable(view.actor, place) else {
            return self.bail_out();
        };
        let value = self.convert_to_domain(value, variable.domain);
        if let Some(promoted) = view.promoted(place) {
            let number = self.number(value);
            return self.builder.def_var(promoted.register, number);
        }
        if place.scope == Scope::Local
            && let Cells::Constant(_) = cells
            && !view.provisional.is_empty()
        {
            match (index, value.as_constant()) {
                (Index::Fixed(element), Some(constant)) => {
                    view.provisional.insert((place.variable.0, element), constant);
                    return;
                }
                // `write_field` below checks that the value is the layout's constant.
                (Index::Fixed(element), None) => {
                    view.provisional.remove(&(place.variable.0, element));
                }
                (Index::Variable(_), _) => return self.bail_out(),
            }
        }
        match (cells, index) {
            (_, Index::Fixed(element)) => self.write_field(view, cells.field(element), value),
            (Cells::Constant(values), Index::Variable(index)) => {
                let constant = self.table_entry(values.clone(), index);
                let same = self.binary(BinaryOp::Equal, constant, value);
                self.require(same);
            }
            (Cells::Row { row, low, count }, Index::Variable(_)) => {
                let bits = match self.bits_of(value, *low, row.width) {
                    Ok(bits) => self.word_constant(bits),
                    Err(bits) => bits,
                };
                self.write_cell(view, row, index, *count, bits);
            }
        }
    }
}
