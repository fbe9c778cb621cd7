//! The tunable constants of the searches: thresholds, factors and sizes that trade one cost for
//! another and never change a verdict. One module for each area. Encodings (bit widths, masks)
//! stay in the files that use them.

/// Program × automaton: the node table and the choice of a search.
pub(crate) mod product {
    /// Node numbers that a thread reserves at once. More keep threads on different cache lines;
    /// fewer leave fewer numbers unused. Not measured.
    pub const NUMBERS_PER_THREAD: u32 = if cfg!(loom) { 1 } else { 256 };
    /// Nodes for which a new node table has room; small, since most tests have few nodes.
    pub const INITIAL_NODES: usize = if cfg!(loom) { 4 } else { 1 << 8 };
    /// Hash table entries of a node table with its first nodes.
    pub const INITIAL_ENTRIES: usize = if cfg!(loom) { 6 } else { 1 << 10 };
    /// A hash table with fewer entries grows by a factor of 4: moving the entries costs more than
    /// the unused memory. Not measured.
    pub const SMALL_TABLE_ENTRIES: usize = 1 << 17;
    /// A hash table with fewer entries grows by a factor of 2, a larger one by 1.5. Not measured.
    pub const MEDIUM_TABLE_ENTRIES: usize = 1 << 22;
    /// A rehashing round over fewer places is done by one thread: a barrier would cost more. Not
    /// measured.
    pub const SERIAL_REHASH_PLACES: usize = 1 << 12;
    /// Words of the cache of recently interned heads (128 KB): it fits into a second-level cache
    /// with room for other data.
    pub const HEAD_CACHE_WORDS: usize = 1 << 14;
    /// Cached transitions of the automaton, after which the cache is emptied. Bounds memory; most
    /// automata have far fewer letters.
    pub const CACHED_LETTER_STEPS: usize = 1 << 12;
    /// Entries of the direct-mapped cache in front of that cache; a power of two. Most searches
    /// see fewer letters.
    pub const DIRECT_MAPPED_LETTER_STEPS: usize = 64;
    /// Entries of the table of the automaton's transitions by state and letter. A larger automaton
    /// evaluates its guards in every state instead.
    pub const AUTOMATON_TABLE_ENTRIES: usize = 1 << 16;

    /// Expansions between two checks of the limits.
    pub const EXPANSIONS_PER_LIMIT_CHECK: u32 = 256;
    /// Milliseconds between two progress reports.
    pub const PROGRESS_INTERVAL_MS: u64 = 200;

    /// Products with at most this many nodes are searched by one thread: starting several takes
    /// longer than such a search.
    pub const PARALLEL_MIN_NODES: u64 = 20_000;
    /// With fewer threads, each searches for components on its own (`couvreur`) instead of sharing
    /// the work on a component (`ufscc`), whose shared structure costs more. Not measured.
    pub const SHARED_COMPONENT_MIN_THREADS: usize = 4;
    /// Automata with at most this many states are stored as tails of packets by default. With more
    /// states, most of a packet's nodes may never be visited.
    pub const MAX_DEFAULT_TAILS: usize = 4;

    /// Expansions for shortening a lasso: this many per visited state, so that a violation that is
    /// found early is also shown early,
    pub const SHORTENING_PER_STATE: usize = 10;
    /// but at least this many,
    pub const MIN_SHORTENING: usize = 5_000;
    /// and at most this many.
    pub const MAX_SHORTENING: usize = 200_000;
    /// Expansions for shortening a lasso before the search for a shortest one begins.
    pub const SHORTENING_BEFORE_SHORTEST: usize = 200_000;

    /// Bytes of both bit arrays of a nested search with bit-state hashing without a memory limit.
    pub const BIT_ARRAY_BYTES: u64 = 1 << 30;

    /// Random walks that estimate how often the automaton can leave its waiting state,
    pub const STEM_WALKS: usize = 8;
    /// and the steps of each. Together 256 states, a negligible cost.
    pub const STEM_WALK_STEPS: usize = 32;
    /// The stem is not searched separately if the automaton can leave in more than one of this many
    /// states: the program would be expanded twice in most states.
    pub const STEM_MIN_STATES_PER_DEPARTURE: u64 = 4;
    /// A remainder with more nodes may be large; the search then examines
    pub const REMAINDER_FEW_NODES: u64 = 20_000;
    /// this many states of the stem, and decides whether to start again without a stem.
    pub const REMAINDER_SAMPLE_STATES: u64 = 1 << 14;
    /// A remainder is small if at most one of this many states of the stem can have nodes in it,
    pub const REMAINDER_SMALL_RATIO: u64 = 4;
    /// or with several threads, which take turns in the remainder, one of this many.
    pub const REMAINDER_SMALL_RATIO_FOR_THREADS: u64 = 8;
    /// Attempts of a search with a stem, for example with wider layouts, before one without.
    pub const STEM_MAX_ATTEMPTS: usize = 4;
    /// Actors for which flag counters in tails have room at first; the search starts again with
    /// more room when there are more actors.
    pub const INITIAL_TAIL_ACTORS: u32 = 4;
}

/// Searches for accepting cycles.
pub(crate) mod liveness {
    /// Nodes that are expanded together, so that their cache misses overlap.
    pub const EXPANSION_BLOCK: usize = 24;
    /// A thread with more rejecting nodes than this gives half of them to idle threads.
    pub const KEPT_REJECTING_NODES: usize = 2 * EXPANSION_BLOCK;
    /// Attempts to shorten a fair cycle; each takes time linear in the cycle's length.
    pub const FAIR_SHORTENING_ATTEMPTS: usize = 4000;
    /// Units of effort for the search for a shortest lasso: some seconds. Most lassos are proven
    /// to be shortest with far fewer.
    pub const SHORTEST_LASSO_EFFORT: u64 = 20_000_000;
    /// Units of effort of one expansion; a unit is about one comparison of two sets.
    pub const EXPANSION_EFFORT: u64 = 10;
}

/// The search on disk ([`crate::external`]).
pub(crate) mod external {
    /// Memory for a batch of successors, unless the memory limit allows less. A larger batch means
    /// fewer passes over the runs on disk. Not measured.
    pub const BATCH_BYTES: u64 = 64 << 20;
    /// A batch gets at most one part in this many of the memory limit. Not measured.
    pub const BATCH_PART: u64 = 8;
    /// Successors that are sorted at once before the time limit is checked: about 10 ms.
    pub const SORTED_AT_ONCE: usize = 1 << 15;
    /// Runs of at most this many words stay in memory. Not measured.
    pub const MEMORY_RUN_WORDS: u64 = 1 << 15;
    /// Records of a block. One record per block is kept in memory; a lookup reads whole blocks, and
    /// the time limit is checked once per block. Not measured.
    pub const BLOCK_RECORDS: usize = 512;
    /// Buffers for reading the frontier and writing a run. Not measured.
    pub const READ_BYTES: usize = 1 << 17;
    pub const WRITE_BYTES: usize = 1 << 18;
}

/// The test for unbounded channels ([`crate::unbounded`]).
pub(crate) mod unbounded {
    /// How many of the nearest ancestors a state is compared with. More find longer cycles, but
    /// make each step slower. Not measured.
    pub const COMPARED_ANCESTORS: usize = 32;
    /// Steps between checks of the time, and of the memory. Not measured.
    pub const TIME_CHECK_STATES: u32 = 1 << 8;
    pub const MEMORY_CHECK_STATES: u32 = 1 << 14;
}

/// Estimates of omitted states ([`crate::omission`]).
pub(crate) mod omission {
    /// States sampled for their in-degree; the standard error is about 1/√n. Not measured.
    pub const IN_DEGREE_SAMPLE: usize = 1 << 13;
    /// States of the explored part of the graph: enough for hundreds of removed states, and
    /// explored in well under a second.
    pub const EXPLORED_STATES: usize = 1 << 15;
    /// One in this many explored states is removed in a trial. Few removals keep their effects
    /// apart; many make the mean stable. Not measured.
    pub const REMOVAL_RATE: u64 = 64;
    /// Trials; odd, so that the median is one of them.
    pub const TRIALS: u64 = 9;
    /// The largest factor by which the loss elsewhere may differ from the explored part. It bounds
    /// the error of a small sample. Not measured.
    pub const MAX_SCALE: f64 = 4.0;
}

/// State-space caching ([`crate::caching`]).
pub(crate) mod caching {
    /// Slots of a new cache. Small models then need little memory. Not measured.
    pub const FIRST_SLOTS: usize = 1 << 10;
    /// Number of randomly drawn candidates for an eviction by layer; the one in the least useful
    /// layer is evicted. More candidates follow the policy more closely, but each costs a cache
    /// miss. Not measured.
    pub const LAYER_DRAWS: usize = 32;
    /// For eviction of the deepest state: larger depths share a list.
    pub const MAX_DEPTHS: usize = 1 << 16;
}

/// Limits that every search checks.
pub(crate) mod limits {
    use std::time::Duration;

    /// Extra time to reconstruct the run to an error that was found within the time limit. More
    /// shows more runs and exceeds the limit further. Not measured.
    pub(crate) const RUN_GRACE: Duration = Duration::from_millis(700);
    /// Interval of progress reports. Shorter reports look smoother and take more time. Not
    /// measured.
    pub(crate) const PROGRESS_INTERVAL: Duration = Duration::from_millis(200);
    /// Single-threaded searches check the time after this many states. Fewer react faster; a check
    /// reads the clock. Not measured.
    pub(crate) const TIME_CHECK_STATES: u32 = 256;
    /// Single-threaded searches check the memory after this many time checks. A check is a system
    /// call. Not measured.
    pub(crate) const MEMORY_CHECK_FACTOR: u32 = 16;
    /// Resuming a saved search checks the limits after this many states. Not measured.
    pub(crate) const RESUME_CHECK_STATES: u64 = 1 << 12;
}

/// Threads.
pub(crate) mod threads {
    use std::time::Duration;

    /// Upper bound on the number of threads; each costs memory for its frontier. Not measured.
    pub(crate) const MAX_THREADS: usize = 1024;
    /// How long an idle thread sleeps before it checks the stop signal again. Shorter ends rounds
    /// sooner; longer saves wake-ups. Not measured.
    pub(crate) const IDLE_WAIT: Duration = Duration::from_millis(2);
    /// Stack of a search thread: engines recurse over expressions. Only touched pages cost memory.
    /// Not measured.
    pub(crate) const SEARCH_STACK_BYTES: usize = 64 << 20;
    /// Stack of a thread that only moves memory. Not measured.
    pub(crate) const TABLE_STACK_BYTES: usize = 256 << 10;
}

/// The expansion of a state.
pub(crate) mod expansion {
    /// Steps of an atomic sequence before its states are hashed to detect a loop. More saves
    /// hashing in sequences that end; fewer detects loops sooner. Not measured.
    pub(crate) const UNHASHED_STEPS: u32 = 64;
    /// Words of the filter for recently generated states. More filters more successors; it must
    /// stay in the second-level cache. Of all successors a third to a half are filtered; the size
    /// itself was not measured.
    pub(crate) const RECENT_WORDS: usize = 1 << 14;
}

/// Reachability with threads.
pub(crate) mod reach {
    use std::time::Duration;

    /// States expanded together. More hides more memory latency; the prefetched cache lines must
    /// still be there when they are used. Not measured.
    pub(crate) const BLOCK_STATES: usize = 32;
    /// States inserted together when a store is rebuilt: enough to hide memory latency. Not
    /// measured.
    pub(crate) const INSERTION_BATCH_STATES: usize = 128;
    /// Words of states that a thread recodes before the time limit is checked: some milliseconds.
    pub(crate) const RECODING_WORDS: usize = 1 << 16;
    /// Below this many states in its frontier, a depth-first worker with others expands the oldest
    /// states, to get more to share. Not measured.
    pub(crate) const SHAREABLE_STATES: u64 = 8 * 512;
    /// Blocks after which a worker publishes its counters. Fewer makes progress reports more
    /// accurate and costs shared cache lines. Not measured.
    pub(crate) const PUBLISH_BLOCKS: u32 = 64;
    /// Bytes that a worker allocates for its frontier before it checks the memory limit. Each
    /// thread can exceed the limit by this much; a check is a system call of about a microsecond.
    /// Not measured.
    pub(crate) const MEMORY_CHECK_BYTES: u64 = 256 << 10;
    /// States in a chunk of the frontier. Larger chunks cost fewer allocations, smaller ones waste
    /// less memory. Not measured.
    pub(crate) const CHUNK_STATES: usize = 512;
    /// Empty chunks kept for reuse. Not measured.
    pub(crate) const SPARE_CHUNKS: usize = 8;
    /// Newest chunks of the frontier that are not delta-coded. More avoids coding and decoding
    /// when a depth-first search goes back and forth; fewer saves memory. Not measured.
    pub(crate) const PLAIN_CHUNKS: usize = 16;

    /// States whose predecessors are recorded, at eight bytes each. More shows more errors without
    /// a second search. Not measured.
    pub(crate) const RECORDED_STATES: usize = 1 << 20;
    /// The same for stores that are chosen to save memory. Not measured.
    pub(crate) const RECORDED_STATES_FRUGAL: u64 = 1 << 16;
    /// States after which other workers join the first: below, starting threads takes longer than
    /// it saves. Not measured.
    pub(crate) const ALONE_STATES: u64 = 1 << 16;
    /// The same for steps, for models with many steps to each state. Not measured.
    pub(crate) const ALONE_STEPS: u64 = 1 << 15;
    /// A breadth-first level is left to one worker if it has fewer than this fraction (1/n) of
    /// [`ALONE_STATES`]. Not measured.
    pub(crate) const SMALL_LEVEL_DIVISOR: u64 = 16;
    /// Interval at which the limits are checked during a round. Not measured.
    pub(crate) const WATCH_INTERVAL: Duration = Duration::from_millis(20);

    /// The fraction (1/n) of the memory limit that is kept free for compressing the states: while
    /// they are copied, some are there twice. Not measured.
    pub(crate) const COMPRESSION_RESERVE: u64 = 8;
    /// States of at least this many words are interned early if that saves memory. Over 16 public
    /// models, interned states were found at 0.25 to 0.7 times the speed of packed ones with 4 to 6
    /// words, at 0.65 to 0.75 times with 8 or 9 words in a fifteenth of the memory, and about as
    /// fast from 14 words on.
    pub(crate) const INTERNING_WORDS: usize = 7;
    /// Interned states continue the search if they take this fraction (1/n) of the memory of packed
    /// ones. Not measured.
    pub(crate) const INTERNING_SAVING: u64 = 2;
    /// The number of states from which packed states are compared with interned ones, before the
    /// table grows. The part tables of a new store change often, which takes about 0.3 s; packed
    /// states of 10^5 states rarely take 50 MB.
    pub(crate) const INTERNING_STATES: u64 = 1 << 17;
    /// The factor by which the number of states grows before they are compared again: interning
    /// all of them takes about as long as exploring as many. Not measured.
    pub(crate) const INTERNING_RETRY_FACTOR: u64 = 8;

    /// States are compressed only if they take this fraction (1/n) of the memory limit; otherwise
    /// compression would not free enough. Not measured.
    pub(crate) const COMPRESSIBLE_SHARE: u64 = 4;
}

/// The choice of a store and its first size.
pub(crate) mod store_choice {
    /// Capacity of the store at the start if the number of states is unknown. Untouched pages cost
    /// nothing; growing does. Not measured.
    pub(crate) const FIRST_STATES: u64 = 20_000;
    /// With a smaller memory limit the store starts with its least capacity. Not measured.
    pub(crate) const AMPLE_BYTES: u64 = 64 << 20;
    /// Size of the bit array without a memory limit. Not measured.
    pub(crate) const BITSTATE_BYTES: u64 = 1 << 30;
    /// Size of the cache without a memory limit. Not measured.
    pub(crate) const CACHE_BYTES: u64 = 1 << 30;
}

/// Mapped memory (`memory/region.rs`), which loom models and Miri do not have.
#[cfg_attr(any(loom, miri), allow(dead_code))]
pub(crate) mod memory {
    use std::time::Duration;

    /// Regions from this size on are mapped from the system and can grow in place; smaller ones
    /// come from the allocator, which is faster. The allocator's own threshold; not measured.
    pub const MAPPED_FROM_BYTES: usize = 1 << 17;

    /// Regions from this size on consist of huge pages: fewer TLB misses, up to one huge page
    /// (2 MB) wasted. Values from 1 to 32 MB made no measurable difference.
    pub const HUGE_PAGES_FROM_BYTES: usize = 4 << 20;

    /// Words of a bit array that are written between two checks of the time limit: 64 MB, written
    /// in about 0.1 s.
    pub const BIT_ARRAY_PIECE_WORDS: usize = 8 << 20;

    /// Address space that one region reserves at most. More than the memory of any machine, and
    /// little of a 47-bit address space.
    pub const MAX_ADDRESS_SPACE_BYTES: usize = 1 << 38;

    /// With `ulimit -v`, a region reserves at most this fraction of the limit: other regions,
    /// stacks and the allocator need address space too. Not measured.
    pub const ADDRESS_SPACE_SHARE: usize = 64;

    /// Processor time after which the first huge page counts as slow, and small pages are used.
    /// Clearing an available huge page takes a fraction of it; making one by compaction, or
    /// getting one from a hypervisor, takes more.
    pub const HUGE_PAGE_PATIENCE: Duration = Duration::from_millis(3);

    /// Bytes for each thread that requests pages: populating fewer takes less time than starting a
    /// thread.
    pub const POPULATE_BYTES_PER_THREAD: usize = 1 << 20;
}

/// The stores of visited states (`store/`).
pub(crate) mod store {
    /// Growth of a packed table below each size in bytes, as a fraction of its size: growth moves
    /// every state, and too much growth leaves memory unused. From 128 MB on half-empty tables
    /// would matter. Not measured.
    pub const PACKED_GROWTH: [(u64, f64); 3] =
        [(1 << 20, 3.0), (PACKED_SEPARATE_BYTES, 1.0), (u64::MAX, 0.5)];

    /// Growth of a packed table where the memory limit does not allow more.
    pub const PACKED_GROWTH_SCARCE: f64 = 0.2;

    /// Below this size all segments of a packed table grow together: growth is fast, and stopping
    /// all threads once costs less than once for each segment. Not measured.
    pub const PACKED_SEPARATE_BYTES: u64 = 128 << 20;

    /// Below this size a packed table is grown by one thread: starting threads takes longer.
    pub const PACKED_PARALLEL_BYTES: u64 = 4 << 20;

    /// Lines of the smallest quotient table (64 KB): small tables need wide entries. Loom models
    /// have the smallest tables possible.
    pub const QUOTIENT_MIN_LINES: usize = if cfg!(loom) { 2 } else { 1 << 10 };

    /// The least factor by which a quotient table grows. Growth in place copies
    /// `32 · factor / (factor - 1)` lines first, so a factor near 1 would copy the table.
    pub const QUOTIENT_MIN_GROWTH: f64 = 1.02;

    /// The load of a quotient table after it has grown, if there is enough memory; it is full at
    /// about 0.85. Lower loads waste memory, higher loads let it grow more often. Not measured.
    pub const QUOTIENT_LOAD_ROOMY: f64 = 0.65;

    /// The same if there is little memory, or if the table only grows because its entries do.
    pub const QUOTIENT_LOAD_TIGHT: f64 = 0.8;

    /// The load assumed when the size of a quotient table is estimated: the mean of the above.
    pub const QUOTIENT_USUAL_LOAD: f64 = 0.75;

    /// States of at most this many bits are their own roots: splitting short states into parts
    /// saves nothing. Not measured.
    pub const INTERNED_DIRECT_BITS: u32 = 40;

    /// Below this number of states, roots are encoded again rather than given extra bits: that is
    /// fast and gives shorter roots. Not measured.
    pub const INTERNED_RECODE_STATES: u64 = 1 << 15;

    /// The number of states from which parts are paired: fewer say little about which pairs have
    /// few values. Not measured.
    pub const INTERNED_PAIRING_STATES: u64 = 1 << 12;

    /// The number of states from which part tables that cost more than they save are given up:
    /// before, little memory is at stake. Not measured.
    pub const INTERNED_REJOINING_STATES: u64 = 1 << 18;

    /// Roots that are sampled to choose pairs: more take longer, fewer miss rare values. Not
    /// measured.
    pub const INTERNED_SAMPLE: usize = 1 << 15;

    /// States that are sampled to choose all parts. Not measured.
    pub const INTERNED_PARTITION_SAMPLE: usize = 1 << 12;

    /// The most parts of a root: every lookup packs all of them. Not measured.
    pub const INTERNED_ROOT_PARTS: usize = 8;

    /// Below this number of values a table of parts grows fourfold: it is small, and growth
    /// interrupts the search.
    pub const PART_SMALL_VALUES: usize = 1 << 12;

    /// The memory of one value of a pair, in bits: 64 for the value, and its share of an index of
    /// 32-bit numbers and of free slots.
    pub const INTERNED_PAIR_VALUE_BITS: f64 = 140.0;

    /// Bits per state that a pair must save to be worth encoding all states again. Not measured.
    pub const INTERNED_PAIR_GAIN_BITS: f64 = 2.0;
}
