/* A sliding window with selective repeat: a window of W on both sides, numbers modulo 2 * W, over
 * channels that lose messages. The receiver keeps what arrives early.
 *
 * Kind: buffered channels, mtype, arrays.
 * States: 3576948; depth: 364765; vector: 68 bytes.
 */
#ifndef W
#define W 2
#endif
#ifndef CAPACITY
#define CAPACITY 3
#endif
#define MODULUS (2 * W)
#define INSIDE(number, base)	((number + MODULUS - base) % MODULUS < W)

mtype = { data, ack };

chan forth = [CAPACITY] of { mtype, byte, byte };
chan back = [CAPACITY] of { mtype, byte };

active proctype Sender()
{
	byte base, next, number, value;		/* value counts what the user sends, modulo MODULUS */
	bool acknowledged[MODULUS];

	do
	:: INSIDE(next, base) ->		/* something new */
		forth!data(next, next);
		next = (next + 1) % MODULUS
	:: base != next && !acknowledged[base] -> forth!data(base, base)	/* once more */
	:: back?ack(number) ->
		if
		:: INSIDE(number, base) -> acknowledged[number] = true
		:: else
		fi
	:: acknowledged[base] -> acknowledged[base] = false; base = (base + 1) % MODULUS
	od
}

active proctype Receiver()
{
	byte base, number, value, expected;
	bool received[MODULUS];
	byte kept[MODULUS];

	do
	:: forth?data(number, value) ->
		if
		:: INSIDE(number, base) -> received[number] = true; kept[number] = value
		:: else
		fi;
		back!ack(number)
	:: received[base] ->
		assert(kept[base] == expected);
		kept[base] = 0;
		received[base] = false;
		base = (base + 1) % MODULUS;
		expected = (expected + 1) % MODULUS
	od
}

active proctype Loss()
{
	do
	:: forth?data(_, _)
	:: back?ack(_)
	od
}
