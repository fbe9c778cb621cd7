//! The differences between two states, by the names of variables and channels.

use lariat_ir::program::{Meaning, Program, Variables};
use lariat_ir::state::{Process, State};
use lariat_ir::trace::{channel_name, contents};

/// Calls `visit` with the name and the new value of every variable and channel that differs:
/// globals, then locals by process, then channels. The value is `None` for a name that no longer
/// exists. If `before` has no globals, all globals differ.
pub fn each_difference(
    program: &Program,
    before: &State,
    after: &State,
    visit: &mut dyn FnMut(String, Option<String>),
) {
    let globals =
        Scope { program, state: after, variables: &program.variables, prefix: String::new() };
    globals.compare(Some(&before.globals).filter(|old| !old.is_empty()), &after.globals, visit);
    for pid in 0..before.processes.len().max(after.processes.len()) {
        let (old, new) = (before.processes.get(pid), after.processes.get(pid));
        let same = old.zip(new).is_some_and(|(old, new)| old.process_type == new.process_type);
        if let Some(old) = old.filter(|_| !same) {
            let scope = Scope::of(program, before, pid, old);
            scope.names(&old.locals, &mut |name| visit(name, None));
        }
        if let Some(new) = new {
            let old = old.filter(|_| same).map(|old| &old.locals);
            Scope::of(program, after, pid, new).compare(old, &new.locals, visit);
        }
    }
    for index in 0..before.channels.len().max(after.channels.len()) {
        match (before.channels.get(index), after.channels.get(index)) {
            (Some(_), None) => visit(channel_name(program, before, index), None),
            (old, Some(new)) => {
                let name = channel_name(program, after, index);
                // A channel is named after a variable that holds it, so its name can change.
                let old_name = old.map(|_| channel_name(program, before, index));
                if let Some(old_name) = old_name.as_ref().filter(|old_name| **old_name != name) {
                    visit(old_name.clone(), None);
                }
                if old.is_none_or(|old| old.contents != new.contents)
                    || old_name.as_ref() != Some(&name)
                {
                    visit(name, Some(contents(program, new)));
                }
            }
            (None, None) => {}
        }
    }
}

/// The variables of the program or of one process.
struct Scope<'a> {
    program: &'a Program,
    state: &'a State,
    variables: &'a Variables,
    prefix: String,
}

/// Receives a slot, the meaning of its value, and a function that returns its name.
type Visit<'v> = dyn FnMut(usize, Meaning, &dyn Fn() -> String) + 'v;

impl<'a> Scope<'a> {
    fn of(program: &'a Program, state: &'a State, pid: usize, process: &Process) -> Scope<'a> {
        let kind = program.process_type(process.process_type);
        let prefix = format!("{}[{pid}]:", kind.name);
        Scope { program, state, variables: &kind.variables, prefix }
    }

    fn compare(
        &self,
        old: Option<&Vec<i32>>,
        new: &[i32],
        visit: &mut dyn FnMut(String, Option<String>),
    ) {
        self.each(&mut |slot, meaning, name| {
            let value = new[slot];
            if old.is_some_and(|old| old[slot] == value) {
                return;
            }
            let name = format!("{}{}", self.prefix, name());
            if let Some(value) = self.show(meaning, value, &name) {
                visit(name, Some(value));
            }
        });
    }

    fn names(&self, values: &[i32], visit: &mut dyn FnMut(String)) {
        self.each(&mut |slot, meaning, name| {
            let name = format!("{}{}", self.prefix, name());
            if self.show(meaning, values[slot], &name).is_some() {
                visit(name);
            }
        });
    }

    fn each(&self, visit: &mut Visit<'_>) {
        for variable in self.variables.iter() {
            for (element, slot) in variable.slots().enumerate() {
                visit(slot, variable.meaning, &|| match variable.dimensions.is_empty() {
                    true => variable.name.clone(),
                    false => variable.element_name(element as u32),
                });
            }
        }
    }

    /// The text of a value; `None` for a variable after which a channel is named, because the
    /// channel is shown with its contents.
    fn show(&self, meaning: Meaning, value: i32, name: &str) -> Option<String> {
        if meaning != Meaning::Channel {
            return Some(self.program.show_value(meaning, value));
        }
        let index = usize::try_from(value).ok().and_then(|number| number.checked_sub(1));
        match index.filter(|index| *index < self.state.channels.len()) {
            Some(index) => {
                let channel = channel_name(self.program, self.state, index);
                (channel != name).then(|| format!("channel {channel}"))
            }
            None => Some("no channel".into()),
        }
    }
}
