//! Tokens and the interned words they contain. It must not know the lexer or the grammar.

use crate::source::Span;
use std::collections::HashMap;
use std::rc::Rc;

/// An interned word. Keywords have fixed numbers: see [`kw`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Symbol(u32);

impl Symbol {
    /// Whether it is a reserved word of Promela.
    pub fn is_keyword(self) -> bool {
        (self.0 as usize) < kw::RESERVED.len()
    }
}

macro_rules! keywords {
    ($($name:ident $text:literal)*) => {
        /// Promela's reserved words.
        pub mod kw {
            use super::Symbol;
            #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
            enum Number { $($name),* }
            $(pub const $name: Symbol = Symbol(Number::$name as u32);)*
            pub const RESERVED: &[&str] = &[$($text),*];
        }
    };
}

keywords! {
    ACTIVE "active" ASSERT "assert" ATOMIC "atomic" BIT "bit" BOOL "bool" BREAK "break" BYTE "byte"
    C_CODE "c_code" C_DECL "c_decl" C_EXPR "c_expr" C_STATE "c_state" C_TRACK "c_track" CHAN "chan"
    D_PROCTYPE "D_proctype" D_STEP "d_step" DO "do" ELSE "else" EMPTY "empty" ENABLED "enabled"
    EVAL "eval" FALSE "false" FI "fi" FOR "for" FULL "full" GET_PRIORITY "get_priority" GOTO "goto"
    HIDDEN "hidden" IF "if" INIT "init" INLINE "inline" INT "int" LEN "len" LOCAL "local" LTL "ltl"
    MTYPE "mtype" NEMPTY "nempty" NEVER "never" NFULL "nfull" NOTRACE "notrace" NP_ "np_" OD "od"
    OF "of" PC_VALUE "pc_value" PID "pid" PRINTF "printf" PRINTM "printm" PRIORITY "priority"
    PROCTYPE "proctype" PROVIDED "provided" RETURN "return" RUN "run" SELECT "select"
    SET_PRIORITY "set_priority" SHORT "short" SHOW "show" SKIP "skip" TIMEOUT "timeout"
    TRACE "trace" TRUE "true" TYPEDEF "typedef" UNLESS "unless" UNSIGNED "unsigned" XR "xr" XS "xs"
}

/// Words in order of first occurrence, keywords first.
#[derive(Debug)]
pub struct Interner {
    numbers: HashMap<Rc<str>, Symbol>,
    words: Vec<Rc<str>>,
}

impl Interner {
    pub fn new() -> Interner {
        let mut interner = Interner { numbers: HashMap::new(), words: Vec::new() };
        for word in kw::RESERVED {
            interner.intern(word);
        }
        interner
    }

    pub fn intern(&mut self, word: &str) -> Symbol {
        if let Some(&symbol) = self.numbers.get(word) {
            return symbol;
        }
        let symbol = Symbol(self.words.len() as u32);
        let word: Rc<str> = word.into();
        self.words.push(word.clone());
        self.numbers.insert(word, symbol);
        symbol
    }

    pub fn word(&self, symbol: Symbol) -> &Rc<str> {
        &self.words[symbol.0 as usize]
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Token {
    pub kind: TokenKind,
    pub span: Span,
    pub flags: Flags,
}

/// The white space before a token, and special properties of the token.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags(u8);

/// The flags about white space before a token.
const SPACING: u8 = Flags::NEWLINE.0 | Flags::SPACE.0 | Flags::LINE.0;

impl Flags {
    /// First token of a logical line (after escaped newlines and comments): ends a directive.
    pub const NEWLINE: Flags = Flags(1);
    /// White space or a comment before the token.
    pub const SPACE: Flags = Flags(2);
    /// A macro's name in its own expansion, which is never expanded again.
    pub const PAINTED: Flags = Flags(4);
    /// On a later line than the token before, for any reason: the lines in the output of `cpp`.
    pub const LINE: Flags = Flags(16);
    /// A number that does not fit in an `int`.
    pub const OVERFLOW: Flags = Flags(8);

    pub fn has(self, flag: Flags) -> bool {
        self.0 & flag.0 != 0
    }

    #[must_use]
    pub fn with(self, flag: Flags) -> Flags {
        Flags(self.0 | flag.0)
    }

    /// This token's own properties with the white space of `first`, which it replaces.
    #[must_use]
    pub fn spaced_as(self, first: Flags) -> Flags {
        Flags(self.0 & !SPACING | first.0 & SPACING)
    }
}

impl Token {
    /// Whether the token begins a line, as SPIN sees lines.
    pub fn starts_line(&self) -> bool {
        self.flags.has(Flags::LINE)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// A name or keyword.
    Word(Symbol),
    /// A decimal number or a character constant.
    Number(i32),
    /// The text between the quotes.
    String(Symbol),
    InvalidToken(InvalidToken),
    End,
    Semicolon,
    Arrow,
    Comma,
    Colon,
    Separator,
    Dot,
    DotDot,
    At,
    OpenParen,
    CloseParen,
    OpenBrace,
    CloseBrace,
    OpenBracket,
    CloseBracket,
    Assign,
    Increment,
    Decrement,
    /// `!`: send or negation.
    Bang,
    BangBang,
    Question,
    QuestionQuestion,
    Tilde,
    Plus,
    Minus,
    Star,
    Slash,
    Percent,
    And,
    AndAnd,
    Or,
    OrOr,
    Caret,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    ShiftLeft,
    ShiftRight,
    Hash,
    HashHash,
}

/// Text that is not a token. The parser reports it, so that text in excluded groups is not an
/// error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InvalidToken {
    Character(char),
    UnterminatedString,
    UnterminatedCharacter,
    /// `0x1f`, `3rd`
    Number,
}

impl TokenKind {
    /// The text of a token kind that has only one spelling.
    pub fn spelling(self) -> Option<&'static str> {
        use TokenKind as T;
        Some(match self {
            T::Word(_) | T::Number(_) | T::String(_) | T::InvalidToken(_) | T::End => return None,
            T::Semicolon => ";",
            T::Arrow => "->",
            T::Comma => ",",
            T::Colon => ":",
            T::Separator => "::",
            T::Dot => ".",
            T::DotDot => "..",
            T::At => "@",
            T::OpenParen => "(",
            T::CloseParen => ")",
            T::OpenBrace => "{",
            T::CloseBrace => "}",
            T::OpenBracket => "[",
            T::CloseBracket => "]",
            T::Assign => "=",
            T::Increment => "++",
            T::Decrement => "--",
            T::Bang => "!",
            T::BangBang => "!!",
            T::Question => "?",
            T::QuestionQuestion => "??",
            T::Tilde => "~",
            T::Plus => "+",
            T::Minus => "-",
            T::Star => "*",
            T::Slash => "/",
            T::Percent => "%",
            T::And => "&",
            T::AndAnd => "&&",
            T::Or => "|",
            T::OrOr => "||",
            T::Caret => "^",
            T::Equal => "==",
            T::NotEqual => "!=",
            T::Less => "<",
            T::LessEqual => "<=",
            T::Greater => ">",
            T::GreaterEqual => ">=",
            T::ShiftLeft => "<<",
            T::ShiftRight => ">>",
            T::Hash => "#",
            T::HashHash => "##",
        })
    }
}
