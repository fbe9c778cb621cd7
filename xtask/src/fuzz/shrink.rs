//! Shrinking of failing programs: deletes list items, hoists a descendant of the same sort, and
//! replaces a phrase by the simplest one of its sort, as long as the failure persists.

use super::tree::{Node, Piece, Sort};

/// Reduces `program` while `fails` holds, with at most `budget` calls of `fails`.
///
/// Precondition: `fails(program)`. Postcondition: `fails(result)`; if the budget sufficed, no
/// single edit of the result fails.
pub fn shrink(program: Node, budget: usize, mut fails: impl FnMut(&Node) -> bool) -> Node {
    let mut current = program;
    let mut left = budget;
    loop {
        let mut progress = false;
        let mut index = 0;
        // `index` counts the edits of the current tree in preorder. After a successful edit, the
        // same index denotes the next edit at the same position, so large parts are deleted first
        // and no edit is tried twice in one round.
        while let Some(candidate) = edit(&current, index) {
            if left == 0 {
                return current;
            }
            if candidate.size() > current.size() || candidate == current {
                index += 1;
                continue;
            }
            left -= 1;
            if fails(&candidate) {
                current = candidate;
                progress = true;
            } else {
                index += 1;
            }
        }
        if !progress {
            return current;
        }
    }
}

/// The tree after the edit with number `index` in preorder; `None` if there are fewer edits.
fn edit(program: &Node, index: usize) -> Option<Node> {
    let mut result = program.clone();
    let mut countdown = index;
    apply(&mut result, &mut countdown).then_some(result)
}

/// Applies the edit at which `countdown` reaches zero; returns whether it did.
fn apply(node: &mut Node, countdown: &mut usize) -> bool {
    let replacements = replacements(node);
    if *countdown < replacements.len() {
        *node = replacements.into_iter().nth(*countdown).unwrap_or_else(|| node.clone());
        return true;
    }
    *countdown -= replacements.len();
    for piece in &mut node.pieces {
        if let Piece::List { items, minimum, .. } = piece {
            let cuts = cuts(items.len(), *minimum);
            if let Some(&(start, end)) = cuts.get(*countdown) {
                items.drain(start..end);
                return true;
            }
            *countdown -= cuts.len();
        }
    }
    node.children_mut().any(|child| apply(child, countdown))
}

/// Ranges to delete from a list: everything, halves, single items from the end.
fn cuts(length: usize, minimum: usize) -> Vec<(usize, usize)> {
    let mut cuts = Vec::new();
    if length >= 4 && length / 2 >= minimum {
        cuts.push((length / 2, length));
        cuts.push((0, length / 2));
    }
    if length > minimum {
        cuts.extend((0..length).rev().map(|at| (at, at + 1)));
    }
    cuts
}

/// Simpler nodes that may replace `node`, the simplest first.
fn replacements(node: &Node) -> Vec<Node> {
    let simplest: Vec<Node> = match node.sort {
        Sort::Expression => ["0", "1"].map(Node::expression).into(),
        Sort::Statement => vec![Node::statement("skip")],
        Sort::Option | Sort::Part => Vec::new(),
    };
    if simplest.contains(node) {
        return Vec::new();
    }
    let mut found = simplest;
    if node.sort != Sort::Part {
        hoisted(node, node.sort, &mut found);
    }
    found
}

/// The nearest descendants of a sort.
fn hoisted(node: &Node, sort: Sort, found: &mut Vec<Node>) {
    for child in node.children() {
        if child.sort == sort {
            found.push(child.clone());
        } else {
            hoisted(child, sort, found);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tree::{list, text};
    use super::*;

    fn sample() -> Node {
        let statement = |body: &str| Node::statement(body);
        let option = |items| Node::new(Sort::Option, vec![text(":: "), list(items, "; ", 1)]);
        let options = list(
            vec![option(vec![statement("a"), statement("b")]), option(vec![statement("c")])],
            " ",
            1,
        );
        let choice = Node::new(Sort::Statement, vec![text("if "), options, text(" fi")]);
        Node::new(
            Sort::Part,
            vec![text("{ "), list(vec![statement("x"), choice], "; ", 1), text(" }")],
        )
    }

    #[test]
    fn shrinks_to_the_cause() {
        let small = shrink(sample(), 1000, |node| node.to_string().contains('b'));
        assert_eq!(small.to_string(), "{ b }");
    }

    #[test]
    fn keeps_what_is_needed() {
        let needed = |node: &Node| {
            let text = node.to_string();
            text.contains('a') && text.contains("fi")
        };
        assert_eq!(shrink(sample(), 1000, needed).to_string(), "{ if :: a fi }");
    }

    #[test]
    fn budget_is_respected() {
        let mut calls = 0;
        shrink(sample(), 3, |_| {
            calls += 1;
            false
        });
        assert_eq!(calls, 3);
    }
}
