//! Tests of the packet table against simple maps.

use super::*;
use crate::product::nodes::packet_bits::{COMPANION_EXPANDED, COMPANION_QUEUED};
use proptest::prelude::*;
use std::collections::HashMap;

fn number(packets: &mut Packets, head: u64, tail: u32, numbers: &mut NumberRange) -> Node {
    let hash = packets.hash(&[head]);
    loop {
        match packets.intern_head(&[head], hash, numbers, true) {
            Some(head) => return packets.visit(head, tail, true),
            None => assert!(packets.grow(u64::MAX, 2).is_ok(), "there are numbers left"),
        }
    }
}

proptest! {
    #![proptest_config(seeded::cases(50))]

    /// Every pair of head and tail has its own number, from which both can be computed, also after
    /// growth and recoding.
    #[test]
    fn nodes_are_heads_and_tails(
        tails in 1u32..100,
        keys in prop::collection::vec((0u64..1500, any::<u32>()), 1..3000),
        recode in 0usize..3000,
        bits in (11u32..=64, 41u32..=64),
    ) {
        let mut packets = Packets::new(1, bits.0, tails);
        let mut known: HashMap<(u64, u32), Node> = HashMap::new();
        let (mut offset, mut own) = (0, NumberRange::default());
        for (index, (head, tail)) in keys.into_iter().enumerate() {
            if index == recode {
                offset = 1 << 40;
                packets.recode(1, bits.1, u64::MAX, |old, new| {
                    new.clear();
                    new.push(old[0] + offset);
                }).expect("there is memory");
            }
            let tail = tail % tails;
            let node = number(&mut packets, head + offset, tail, &mut own);
            if index % 3 == 0 && tails > 1 {
                // Visit two tails of one head in one call.
                let (mut both, other) = (PacketBits::default(), (tail + index as u32) % tails);
                both.insert(tail);
                both.insert(other);
                packets.visit_all(&[packets.head(node)], &both, index % 2 == 0, |_, flags| {
                    assert_eq!(flags, 0);
                });
                let visited = packets.node(packets.head(node), other);
                prop_assert_eq!(*known.entry((head, other)).or_insert(visited), visited);
            }
            prop_assert_eq!(*known.entry((head, tail)).or_insert(node), node);
            prop_assert_eq!((packets.word(node, 0), packets.tail(node)), (head + offset, tail));
            let mut read = Vec::new();
            packets.load(node, &mut read);
            prop_assert_eq!(read, vec![head + offset]);
        }
        let mut numbers: Vec<Node> = known.values().copied().collect();
        numbers.sort_unstable();
        numbers.dedup();
        prop_assert_eq!(numbers.len(), known.len());
        prop_assert_eq!(packets.len(), known.len());
        let mut heads: Vec<u64> = known.keys().map(|(head, _)| *head).collect();
        heads.sort_unstable();
        heads.dedup();
        prop_assert_eq!(packets.packets(), heads.len());
    }
}

proptest! {
    #![proptest_config(seeded::cases(50))]

    /// Bits of different nodes and packets are independent, also after growth and recoding.
    #[test]
    fn bits_do_not_overlap(
        tails in prop_oneof![1u32..9, 20u32..40, 60u32..70],
        steps in prop::collection::vec((0u8..7, 0u64..700, any::<u32>()), 1..2000),
        bits in prop::collection::vec(10u32..=64, 10),
    ) {
        let mut packets = Packets::new(1, bits[0], tails);
        let (mut colored, mut own) = (false, NumberRange::default());
        let (mut visited, mut colors, mut flags) = (HashMap::new(), HashMap::new(), HashMap::new());
        for (what, head, tail) in steps {
            let tail = tail % tails;
            match what {
                0 if head < 20 => {
                    packets.clear_colors().expect("there is memory");
                    colored = true;
                    colors.clear();
                }
                1 if head < 20 => {
                    packets.clear_flags();
                    flags.clear();
                }
                2 | 3 if colored && visited.contains_key(&(head, tail)) => {
                    let color: &mut u8 = colors.entry((head, tail)).or_default();
                    let node = visited[&(head, tail)];
                    let is_new = packets.insert_color(node, what - 1, what == 2);
                    prop_assert_eq!(is_new, *color & (what - 1) == 0);
                    *color |= what - 1;
                }
                4 if tails > 1 && visited.contains_key(&(head, tail)) => {
                    let flag: &mut u8 = flags.entry(head).or_default();
                    let number = packets.head(visited[&(head, tail)]);
                    let is_new = packets.set_flag(number, COMPANION_EXPANDED, true);
                    prop_assert_eq!(is_new, *flag & COMPANION_EXPANDED == 0);
                    let (mut left, before) = (PacketBits::default(), *flag | COMPANION_EXPANDED);
                    left.insert_flags(COMPANION_QUEUED);
                    packets.visit_all(&[number], &left, false, |_, seen| assert_eq!(seen, before));
                    *flag = COMPANION_EXPANDED | COMPANION_QUEUED;
                }
                5 if head < 10 => {
                    packets.recode(1, bits[head as usize], u64::MAX, |old, new| {
                        new.clear();
                        new.extend_from_slice(old);
                    }).expect("there is memory");
                }
                _ => {
                    visited.insert((head, tail), number(&mut packets, head, tail, &mut own));
                }
            }
            prop_assert_eq!(packets.len(), visited.len());
        }
        for (key, node) in visited {
            let color = colors.get(&key).copied().unwrap_or(0);
            for one in [1, 2] {
                prop_assert_eq!(colored && packets.has_color(node, one), color & one != 0);
            }
            if tails > 1 {
                let flag = flags.get(&key.0).copied().unwrap_or(0);
                let bits = PacketBits { bits: vec![(0, 0)] };
                packets.visit_all(&[packets.head(node)], &bits, true, |_, seen| {
                    assert_eq!(seen, flag);
                });
            }
        }
    }
}

#[test]
fn numbers_end_before_they_overflow() {
    for tails in [1, 2, 3, 1000, 1 << 20, 1 << 23, 1 << 24, u32::MAX] {
        let max = max_heads(tails);
        let last = u64::from(max) << digits(tails);
        assert!(max == 0 || last <= u64::from(u32::MAX), "{tails}");
    }
}

/// Threads that visit the same nodes concurrently count each node once.
#[test]
fn threads_count_nodes_once() {
    let mut packets = Packets::new(1, 12, 8);
    // A thread need not use all numbers that it has reserved.
    packets.heads.reserve(1 << 13, 1);
    packets.reserve();
    let packets = &packets;
    std::thread::scope(|scope| {
        for thread in 0..4u64 {
            scope.spawn(move || {
                let mut own = NumberRange::default();
                for step in 0..(1u64 << 15) {
                    let key = step * (2 * thread + 1) % (1 << 15);
                    let head = [key / 8];
                    let head = packets.intern_head(&head, packets.hash(&head), &mut own, false);
                    let head = head.expect("there is room");
                    packets.visit(head, (key % 8) as u32, false);
                }
            });
        }
    });
    assert_eq!((packets.len(), packets.packets()), (1 << 15, 1 << 12));
}
