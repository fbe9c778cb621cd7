//! Traces agree with the reference semantics.

use super::*;
use lariat_ir::Interpreter;
use proptest::prelude::*;

fn program(text: &str) -> Program {
    let loader = lariat_promela::MemoryLoader::new().with("m.pml", text);
    lariat_promela::compile(&loader, "m.pml", &[]).program.expect("the model is right")
}

const POST: &str = "\
chan q = [3] of { byte, byte };
byte got;
proctype Child(byte n) { byte m; q!n,1; q??eval(n),m; got = got + m }
active proctype Main() {
  byte k; run Child(2); run Child(1); q!!2,7; q?k,_; (_nr_pr == 1); run Child(3)
}
";

/// A run determined by the choices.
fn walk(program: &Program, choices: &[u8]) -> (Vec<Step>, Vec<State>) {
    let interpreter = Interpreter::new(program);
    let mut states = interpreter.initial_states().expect("it starts");
    states.truncate(1);
    let mut steps = Vec::new();
    for &choice in choices {
        let mut successors = Vec::new();
        interpreter.successors(&states[states.len() - 1], &mut successors);
        successors.retain(|successor| successor.state.is_some());
        if successors.is_empty() {
            break;
        }
        let taken = successors.swap_remove(usize::from(choice) % successors.len());
        steps.push(taken.step);
        states.extend(taken.state);
    }
    (steps, states)
}

/// All values of a state.
fn all_values(program: &Program, state: &State) -> HashMap<String, String> {
    let mut all = HashMap::new();
    let nothing = State { globals: Vec::new(), ..State::empty(program) };
    each_difference(program, &nothing, state, &mut |name, value| {
        all.extend(value.map(|value| (name, value)));
    });
    all
}

proptest! {
    #![proptest_config(seeded::cases(64))]

    /// The differences add up to the states, and every receive is connected to a send of its
    /// message.
    #[test]
    fn a_trace_determines_its_states(choices in proptest::collection::vec(any::<u8>(), 0..40)) {
        let program = program(POST);
        let (steps, states) = walk(&program, &choices);
        let trace = Trace::new(&program, &steps, &states, None, String::new());
        prop_assert_eq!(trace.events.len(), steps.len());
        for (index, state) in states.iter().enumerate() {
            let values = trace.values_after(index);
            let values: HashMap<String, String> = trace.variables.iter().zip(values)
                .filter_map(|(name, value)| Some((name.clone(), value?.to_string()))).collect();
            prop_assert_eq!(values, all_values(&program, state));
        }
        for (index, event) in trace.events.iter().enumerate() {
            let Some(message) = &event.message else { continue };
            if message.kind == MessageKind::Receive {
                let (sent, lane) = message.from.expect("its send is known");
                prop_assert!(sent < index);
                let send = &trace.events[sent];
                prop_assert_eq!(send.actions[0].lane, lane);
                prop_assert_eq!(&send.message.as_ref().expect("it sent").text, &message.text);
            }
        }
    }
}

#[test]
fn atoms_have_a_value_after_each_event() {
    // The atomic sequence blocks after its first statement and gives up control.
    let program = program(
        "byte x; active proctype P() { atomic { x = 1; (x == 2); x = 3 } } active proctype Q() { x = 2 }",
    );
    let interpreter = Interpreter::new(&program);
    let mut states = interpreter.initial_states().expect("it starts");
    let mut steps = Vec::new();
    for pid in [0, 0, 1] {
        let mut successors = Vec::new();
        interpreter.successors(&states[states.len() - 1], &mut successors);
        let of = |step: &Step| match step {
            Step::Move(taken) => taken.pid == pid,
            _ => true,
        };
        let taken = successors.into_iter().find(|successor| of(&successor.step)).expect("a step");
        steps.push(taken.step);
        states.extend(taken.state);
    }
    assert!(matches!(steps[1], Step::Release(0)));
    let values = [Some(vec![false]), None, Some(vec![true]), Some(vec![false])];
    let trace = Trace::new(&program, &steps, &states, None, String::new()).with_atoms(
        &steps,
        &["x == 1".into()],
        &values,
    );
    assert_eq!(trace.events.len(), 2);
    assert_eq!(trace.atoms[0].values, [false, true, false]);
}
