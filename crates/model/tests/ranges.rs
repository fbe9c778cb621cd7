//! Every value met on a walk through a generated program is within the interval found for it.

mod common;

use common::{Choices, Kind, build, cases, numbers, walk};
use proptest::prelude::*;

proptest! {
    #![proptest_config(cases(600))]

    #[test]
    fn values_are_within_their_ranges(program in numbers(), path in proptest::collection::vec(any::<u16>(), 0..60)) {
        let program = build(Kind::Runnable, program);
        let ranges = model::ranges::analyse(&program);
        for start in 0..4u16 {
            let mut numbers = path.clone();
            numbers.rotate_left(usize::from(start).min(path.len()));
            walk(&program, &mut Choices::new(numbers), 60, |state, _, _| {
                if let Some(strange) = ranges.outside(&program, state) {
                    panic!("{strange}\n{}", model::text::print(&program));
                }
            });
        }
    }
}
