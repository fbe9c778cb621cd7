use super::*;
use proptest::prelude::*;
use std::collections::HashMap;

fn number(packets: &mut Packets, head: u64, tail: u32, numbers: &mut Numbers) -> Node {
    let hash = packets.hash(&[head]);
    loop {
        match packets.intern_head(&[head], hash, numbers, true) {
            Some(head) => return packets.meet_one(head, tail, true),
            None => assert!(packets.grow(u64::MAX, 2).is_ok(), "there are numbers left"),
        }
    }
}

proptest! {
    #![proptest_config(seeded::cases(50))]

    /// Every pair of head and tail has a number of its own from which both can be told, through growing and recoding.
    #[test]
    fn nodes_are_heads_and_tails(
        tails in 1u32..100,
        keys in prop::collection::vec((0u64..1500, any::<u32>()), 1..3000),
        recode in 0usize..3000,
        bits in (11u32..=64, 41u32..=64),
    ) {
        let mut packets = Packets::new(1, bits.0, tails);
        let mut known: HashMap<(u64, u32), Node> = HashMap::new();
        let (mut offset, mut own) = (0, Numbers::default());
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
                // Another one along with it.
                let (mut both, other) = (Bits::default(), (tail + index as u32) % tails);
                both.insert(tail);
                both.insert(other);
                packets.meet(&[packets.head(node)], &both, index % 2 == 0, |_, flags| assert_eq!(flags, 0));
                let met = packets.node(packets.head(node), other);
                prop_assert_eq!(*known.entry((head, other)).or_insert(met), met);
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

    /// What is said of a node or of a packet is said of nothing else, whatever shares the words with it, and through growing.
    #[test]
    fn bits_are_kept_apart(
        tails in prop_oneof![1u32..9, 20u32..40, 60u32..70],
        steps in prop::collection::vec((0u8..7, 0u64..700, any::<u32>()), 1..2000),
        bits in prop::collection::vec(10u32..=64, 10),
    ) {
        let mut packets = Packets::new(1, bits[0], tails);
        let (mut colored, mut own) = (false, Numbers::default());
        let (mut met, mut colors, mut flags) = (HashMap::new(), HashMap::new(), HashMap::new());
        for (what, head, tail) in steps {
            let tail = tail % tails;
            match what {
                0 if head < 20 => {
                    packets.fade().expect("there is memory");
                    colored = true;
                    colors.clear();
                }
                1 if head < 20 => {
                    packets.unmark();
                    flags.clear();
                }
                2 | 3 if colored && met.contains_key(&(head, tail)) => {
                    let color: &mut u8 = colors.entry((head, tail)).or_default();
                    let node = met[&(head, tail)];
                    prop_assert_eq!(packets.color(node, what - 1, what == 2), *color & (what - 1) == 0);
                    *color |= what - 1;
                }
                4 if tails > 1 && met.contains_key(&(head, tail)) => {
                    let flag: &mut u8 = flags.entry(head).or_default();
                    let number = packets.head(met[&(head, tail)]);
                    prop_assert_eq!(packets.mark(number, TAKEN, true), *flag & TAKEN == 0);
                    let (mut left, before) = (Bits::default(), *flag | TAKEN);
                    left.insert_flags(LEFT);
                    packets.meet(&[number], &left, false, |_, seen| assert_eq!(seen, before));
                    *flag = TAKEN | LEFT;
                }
                5 if head < 10 => {
                    packets.recode(1, bits[head as usize], u64::MAX, |old, new| {
                        new.clear();
                        new.extend_from_slice(old);
                    }).expect("there is memory");
                }
                _ => {
                    met.insert((head, tail), number(&mut packets, head, tail, &mut own));
                }
            }
            prop_assert_eq!(packets.len(), met.len());
        }
        for (key, node) in met {
            let color = colors.get(&key).copied().unwrap_or(0);
            for one in [1, 2] {
                prop_assert_eq!(colored && packets.has_color(node, one), color & one != 0);
            }
            if tails > 1 {
                let flag = flags.get(&key.0).copied().unwrap_or(0);
                packets.meet(&[packets.head(node)], &Bits { bits: vec![(0, 0)] }, true, |_, seen| assert_eq!(seen, flag));
            }
        }
    }
}

#[test]
fn numbers_end_before_they_overflow() {
    for tails in [1, 2, 3, 1000, 1 << 20, 1 << 23, 1 << 24, u32::MAX] {
        let most = most_heads(tails);
        let last = u64::from(most) << digits(tails);
        assert!(most == 0 || last <= u64::from(u32::MAX), "{tails}");
    }
}

/// Threads that meet the same nodes at once count each of them once.
#[test]
fn threads_count_nodes_once() {
    let mut packets = Packets::new(1, 12, 8);
    // Not all of a thread's share of numbers need be used.
    packets.heads.make_room(1 << 13, 1);
    packets.make_room();
    let packets = &packets;
    std::thread::scope(|scope| {
        for thread in 0..4u64 {
            scope.spawn(move || {
                let mut own = Numbers::default();
                for step in 0..(1u64 << 15) {
                    let key = step * (2 * thread + 1) % (1 << 15);
                    let head = [key / 8];
                    let head = packets.intern_head(&head, packets.hash(&head), &mut own, false);
                    let head = head.expect("there is room");
                    packets.meet_one(head, (key % 8) as u32, false);
                }
            });
        }
    });
    assert_eq!((packets.len(), packets.packets()), (1 << 15, 1 << 12));
}
