//! Programs as syntax trees that can be printed and shrunk.
//!
//! A node is text interleaved with children. The replacements for a child depend only on its
//! [`Sort`], so the shrinker needs no knowledge of Promela: SPIN decides whether a smaller text is
//! still a program.

use std::fmt;

/// The syntactic category of a node. Nodes of one sort are interchangeable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sort {
    Expression,
    Statement,
    Option,
    /// A declaration, proctype, directive or message field: can only be deleted.
    Part,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    pub sort: Sort,
    pub pieces: Vec<Piece>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    Text(String),
    Node(Node),
    /// Children that may be deleted, except for `minimum` of them.
    List {
        items: Vec<Node>,
        separator: &'static str,
        minimum: usize,
    },
}

impl Node {
    pub fn new(sort: Sort, pieces: Vec<Piece>) -> Self {
        Self { sort, pieces }
    }

    pub fn expression(text: impl Into<String>) -> Self {
        Self::new(Sort::Expression, vec![Piece::Text(text.into())])
    }

    pub fn statement(text: impl Into<String>) -> Self {
        Self::new(Sort::Statement, vec![Piece::Text(text.into())])
    }

    pub fn part(text: impl Into<String>) -> Self {
        Self::new(Sort::Part, vec![Piece::Text(text.into())])
    }

    /// The number of nodes of the tree, which shrinking reduces.
    pub fn size(&self) -> usize {
        1 + self.children().map(Node::size).sum::<usize>()
    }

    pub fn children(&self) -> impl Iterator<Item = &Node> {
        self.pieces.iter().flat_map(|piece| match piece {
            Piece::Text(_) => [].iter(),
            Piece::Node(node) => std::slice::from_ref(node).iter(),
            Piece::List { items, .. } => items.iter(),
        })
    }

    pub fn children_mut(&mut self) -> impl Iterator<Item = &mut Node> {
        self.pieces.iter_mut().flat_map(|piece| match piece {
            Piece::Text(_) => [].iter_mut(),
            Piece::Node(node) => std::slice::from_mut(node).iter_mut(),
            Piece::List { items, .. } => items.iter_mut(),
        })
    }
}

pub fn text(text: impl Into<String>) -> Piece {
    Piece::Text(text.into())
}

pub fn list(items: Vec<Node>, separator: &'static str, minimum: usize) -> Piece {
    Piece::List { items, separator, minimum }
}

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => f.write_str(text)?,
                Piece::Node(node) => write!(f, "{node}")?,
                Piece::List { items, separator, .. } => {
                    for (index, item) in items.iter().enumerate() {
                        if index > 0 {
                            f.write_str(separator)?;
                        }
                        write!(f, "{item}")?;
                    }
                }
            }
        }
        Ok(())
    }
}

/// The text of the program, indented.
pub fn print(program: &Node) -> String {
    let mut result = String::new();
    let mut depth = 0usize;
    for line in program.to_string().lines().map(str::trim) {
        if line.is_empty() {
            continue;
        }
        if ["}", "od", "fi"].iter().any(|word| line.starts_with(word)) {
            depth = depth.saturating_sub(1);
        }
        // A preprocessor directive starts at the beginning of the line.
        if !line.starts_with('#') {
            result.push_str(&"  ".repeat(depth));
        }
        result.push_str(line);
        result.push('\n');
        if line.ends_with('{') || ends_with_word(line, "do") || ends_with_word(line, "if") {
            depth += 1;
        }
    }
    result
}

fn ends_with_word(line: &str, word: &str) -> bool {
    let Some(before) = line.strip_suffix(word) else { return false };
    !before.ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '#')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printing() {
        let body = list(vec![Node::statement("x = 1"), Node::statement("skip")], ";\n", 1);
        let node = Node::new(Sort::Part, vec![text("init {\n"), body, text("\n}")]);
        assert_eq!(print(&node), "init {\n  x = 1;\n  skip\n}\n");
        assert_eq!(node.size(), 3);
    }
}
