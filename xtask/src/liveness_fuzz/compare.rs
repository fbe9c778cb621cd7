//! Compares, for one program, the verdicts of SPIN, of the oracle, and of Lariat in several
//! configurations.

use std::fs;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};

use lariat::check::automaton::searched_automaton;
use lariat::check::check_property;
use lariat::property::{Meaning, ResolvedProperty};
use lariat::{Model, Property, PropertyResult, Settings};
use lariat_ir::Interpreter;
use lariat_search::Verdict;
use lariat_search::liveness::Algorithm;
use lariat_search::liveness::fairness::{Actor, Fairness, Strength};
use lariat_search::product::has_cycles;
use oracle::{Forbidden, Graph, Product, Shorter};

use super::tally::Tally;
use super::{Kind, LIMIT, Sample};
use crate::configuration::{Configuration, PATIENCE};
use crate::counterexample;
use crate::fuzz::random::Random;
use crate::spin::{Options, PrivateDirectory};
use crate::spin_property::Verifier;

/// Limits of the oracle: larger graphs take too long.
const MOST_STATES: usize = 4000;
const MOST_NODES: usize = 30_000;

/// Limit on the paths tried in search of a shorter run.
const MOST_PATHS: usize = 20_000;

/// Limit on the nodes visited to determine the length of a shortest lasso.
const MOST_PLACES: usize = 300_000;

/// Programs that take longer are reported.
const SLOW: Duration = Duration::from_secs(5);

/// The fairness assumed by `pan -f`.
const WEAK_PROCESS: Fairness = Fairness { strength: Strength::Weak, actor: Actor::Process };

/// Compares everything about a program.
pub struct Comparison<'a> {
    sample: &'a Sample,
    text: String,
    directory: PrivateDirectory,
    /// Number of configurations for each property.
    configurations: usize,
    random: Random,
    tally: Tally,
}

/// The oracle's knowledge of a property.
struct Known<'g> {
    graph: &'g Graph,
    interpreter: Interpreter<'g>,
    forbidden: Forbidden<'g>,
    product: Product<'g>,
}

/// The expected verdict on a property under a notion of fairness.
struct Expected<'g, 'k> {
    violated: bool,
    fairness: Option<Fairness>,
    known: Option<&'k Known<'g>>,
}

impl<'a> Comparison<'a> {
    pub fn run(sample: &'a Sample, configurations: usize) -> io::Result<Tally> {
        let mut comparison = Comparison {
            sample,
            text: sample.text(),
            directory: PrivateDirectory::new()?,
            configurations,
            random: Random::new(!sample.seed),
            tally: Tally::default(),
        };
        comparison.tally.programs = 1;
        let start = Instant::now();
        comparison.program()?;
        if start.elapsed() > SLOW {
            comparison.tally.slow.push((sample.seed, start.elapsed()));
        }
        Ok(comparison.tally)
    }

    fn program(&mut self) -> io::Result<()> {
        let path = self.directory.path.join("m.pml");
        fs::write(&path, &self.text)?;
        let model = match Model::from_file(&path) {
            Ok(model) => model,
            Err(_) => {
                self.tally.refused_by_us += 1;
                return Ok(());
            }
        };
        if self.sample.kind == Kind::Labels {
            return self.labels(&path, &model);
        }
        // The oracle also judges programs that SPIN rejects.
        let verifier = Verifier::build(&path, &Options::quick(LIMIT).property())?;
        self.tally.refused_by_spin += usize::from(verifier.is_none());
        let interpreter = Interpreter::new(&model.program);
        let graph = Graph::new(&interpreter, MOST_STATES);
        if let Some(graph) = &graph {
            self.tally.size(graph.states.len());
        }
        for property in &model.stated {
            let known = graph.as_ref().and_then(|graph| self.known(&model, property, graph));
            self.property(&model, property, verifier.as_ref(), &path, known.as_ref())?;
        }
        Ok(())
    }

    /// The oracle's knowledge of a property, if the product is small enough.
    fn known<'g>(
        &self,
        model: &'g Model,
        property: &ResolvedProperty,
        graph: &'g Graph,
    ) -> Option<Known<'g>> {
        let interpreter = Interpreter::new(&model.program);
        let forbidden = match &property.meaning {
            Meaning::Formula(formula) => Forbidden::by_formula(&interpreter, graph, formula)?,
            // With accept labels in processes, a claim is not equivalent to its automaton.
            Meaning::Claim(claim) if !self.sample.program.contains("accept") => {
                Forbidden::by_claim(&model.program, &interpreter, graph, claim)?
            }
            _ => return None,
        };
        let product = forbidden.product(MOST_NODES)?;
        Some(Known { graph, interpreter, forbidden, product })
    }

    /// One formula or claim.
    fn property(
        &mut self,
        model: &Model,
        property: &ResolvedProperty,
        verifier: Option<&Verifier>,
        path: &Path,
        known: Option<&Known<'_>>,
    ) -> io::Result<()> {
        let arguments = ["-a", "-N", &property.name];
        // With a formula, SPIN also counts accept labels of processes, and finds a `timeout` where
        // there is none.
        let confused = self.sample.kind == Kind::Formulas
            && (self.sample.program.contains("accept")
                || self.sample.properties.contains("timeout"));
        let ask = |verifier: Option<&Verifier>, arguments: &[&str]| match verifier {
            Some(verifier) => verifier.violated(arguments, || Ok(None)),
            None => Ok(None),
        };
        let mut spin = ask(verifier, &arguments)?.filter(|violated| !(confused && *violated));
        let oracle = known.map(|known| known.product.has_run(None));
        if let (Some(first), Some(other)) = (spin, oracle)
            && first != other
        {
            // A difference is confirmed with an optimising compiler and with a search that cannot
            // omit states.
            let options = Options { whole_states: !first, ..Options::confirming(LIMIT).property() };
            let confirming = Verifier::build(path, &options)?;
            spin = ask(confirming.as_ref(), &arguments)?;
            if spin == Some(first) {
                self.differs(
                    &property.name,
                    &format!("SPIN says violated: {first}, the oracle: {other}"),
                );
            }
        }
        self.tally.judged_by_spin += usize::from(spin.is_some());
        self.tally.judged_by_oracle += usize::from(oracle.is_some());
        let Some(violated) = oracle.or(spin) else { return Ok(()) };
        *if violated { &mut self.tally.violated } else { &mut self.tally.holding } += 1;
        self.all_configurations(model, property, &Expected { violated, fairness: None, known });
        let Some(known) = known else { return Ok(()) };
        let notion =
            if self.random.percent(40) { WEAK_PROCESS } else { *self.random.pick(&Fairness::ALL) };
        let violated = known.product.has_run(Some(notion));
        let configuration =
            Configuration::random(&mut self.random, Some(notion), &self.directory.path);
        self.check_configuration(
            model,
            property,
            &Expected { violated, fairness: Some(notion), known: Some(known) },
            &configuration,
        );
        if notion == WEAK_PROCESS && !confused {
            match ask(verifier, &["-a", "-f", "-N", &property.name])? {
                Some(fair) if fair == violated => self.tally.fair_same += 1,
                Some(_) => {
                    self.tally
                        .fair_different
                        .push(format!("{}:{}", self.sample.seed, property.name));
                }
                None => {}
            }
        }
        Ok(())
    }

    /// Accept labels and non-progress cycles.
    fn labels(&mut self, path: &Path, model: &Model) -> io::Result<()> {
        let mut kinds = vec![(Property::NonProgress, Meaning::Progress, "-DNP", "-l")];
        if self.sample.program.contains("accept") {
            let wanted = Property::Stated("accept labels".to_owned());
            kinds.push((wanted, Meaning::AcceptLabels, "-DNOCLAIM", "-a"));
        }
        for (wanted, meaning, compile, search) in kinds {
            let mut options = Options::quick(LIMIT).property();
            options.compiler_arguments.push(compile.to_owned());
            let Some(verifier) = Verifier::build(path, &options)? else {
                self.tally.refused_by_spin += 1;
                continue;
            };
            let Some(violated) = verifier.violated(&[search], || Ok(None))? else { continue };
            self.tally.judged_by_spin += 1;
            *if violated { &mut self.tally.violated } else { &mut self.tally.holding } += 1;
            let property = ResolvedProperty::new(wanted, meaning);
            self.all_configurations(
                model,
                &property,
                &Expected { violated, fairness: None, known: None },
            );
        }
        Ok(())
    }

    fn all_configurations(
        &mut self,
        model: &Model,
        property: &ResolvedProperty,
        expected: &Expected<'_, '_>,
    ) {
        for _ in 0..self.configurations {
            let configuration =
                Configuration::random(&mut self.random, expected.fairness, &self.directory.path);
            self.check_configuration(model, property, expected, &configuration);
        }
        let configuration = Configuration::with_defaults(&mut self.random, &self.directory.path);
        self.check_configuration(model, property, expected, &configuration);
    }

    /// Checks the property in one configuration, and the counterexample.
    fn check_configuration(
        &mut self,
        model: &Model,
        property: &ResolvedProperty,
        expected: &Expected<'_, '_>,
        configuration: &Configuration,
    ) {
        let start = Instant::now();
        // A panic is reported as a difference and does not end the comparisons.
        let budget = lariat_ir::Budget::of(PATIENCE);
        let options = configuration.options(&budget);
        let checked = catch_unwind(AssertUnwindSafe(|| {
            check_property(&model.program, property, &configuration.choice, &options)
        }));
        if start.elapsed() > SLOW {
            let took = start.elapsed().as_secs();
            println!("seed {}, {}: {took} s {configuration:?}", self.sample.seed, property.name);
        }
        let checked = match checked {
            Ok(Ok(checked)) => checked,
            Ok(Err(fault)) => {
                return self.differs(&property.name, &format!("{fault} {configuration:?}"));
            }
            Err(_) => return self.differs(&property.name, &format!("a panic {configuration:?}")),
        };
        if checked.unsuitable.is_some() {
            self.tally.unsuited += 1;
            return;
        }
        // Hash collisions are very unlikely in products of this size.
        let undecided = checked.verdict == Verdict::Inconclusive;
        if undecided && (!checked.answer.may_omit || checked.answer.endless_atomic) {
            self.tally.undecided += 1;
            return;
        }
        let in_store =
            checked.search == Algorithm::Nested.name() && has_cycles(&configuration.store);
        self.tally.compared(&configuration.settings(checked.search == "reachability" || in_store));
        if (checked.verdict == Verdict::Violated) != expected.violated {
            let what = format!(
                "expected violated: {}, found {:?} {configuration:?}",
                expected.violated, checked.verdict
            );
            return self.differs(&property.name, &what);
        }
        self.tally.same += 1;
        let forbidden = expected.known.map(|known| &known.forbidden);
        let mut problem = match counterexample::check(model, &checked, forbidden) {
            Ok(passed) => {
                self.tally.followed += usize::from(passed.replayed);
                self.tally.shown += usize::from(passed.shown);
                None
            }
            Err(problem) => Some(problem),
        };
        self.tally.unproven += usize::from(checked.answer.unproven.is_some());
        self.tally.stems += usize::from(checked.answer.stem);
        if problem.is_none() && configuration.choice.shortest && checked.answer.unproven.is_none() {
            self.tally.shortest_stems +=
                usize::from(checked.answer.stem && checked.counterexample.is_some());
            problem = self.not_shortest(model, property, &configuration.choice, &checked, expected);
        }
        if let Some(problem) = problem {
            self.differs(&property.name, &format!("counterexample: {problem} {configuration:?}"));
        }
    }

    /// The reason why a run is not shortest: the product with the automaton that was searched has
    /// a shorter one.
    fn not_shortest(
        &mut self,
        model: &Model,
        property: &ResolvedProperty,
        choice: &Settings,
        checked: &PropertyResult,
        expected: &Expected<'_, '_>,
    ) -> Option<String> {
        let lasso = checked.counterexample.as_ref().filter(|found| found.error().is_none())?;
        let known = expected.known?;
        let Known { graph, interpreter, forbidden, .. } = known;
        // The search reports the automaton that it used.
        let (automaton, conditions) =
            searched_automaton(&model.program, property, choice.algorithm).ok()?;
        let cycle = (!lasso.cycle.is_empty()).then_some(lasso.prefix.len());
        let length = forbidden.length(interpreter, &lasso.states, cycle)?;
        if cycle.is_none() {
            let least = forbidden.least_prefix(MOST_NODES)?;
            self.tally.shortest_prefixes += 1;
            return (least != length).then(|| format!("it has {length} steps, {least} are enough"));
        }
        let searched = Forbidden::by_automaton(interpreter, graph, automaton, &conditions)?;
        let least =
            searched.product(MOST_NODES)?.shortest(length, expected.fairness, MOST_PLACES)?;
        self.tally.shortest += 1;
        match forbidden.shorter(length, expected.fairness, MOST_PATHS) {
            Shorter::Nothing => self.tally.shortest_of_all += 1,
            Shorter::Run(_) => self.tally.shorter_elsewhere += 1,
            Shorter::Unknown => {}
        }
        // A run may have fewer steps of the program than of the product.
        least.map(|least| format!("it has {length} steps, one of {least} is shorter"))
    }

    fn differs(&mut self, name: &str, what: &str) {
        let difference = format!("seed {}, {name}: {what}\n{}", self.sample.seed, self.text);
        self.tally.differs(difference);
    }
}
