/* The alternating bit protocol between two users, over channels that lose and repeat messages and hold
 * several of them. The numbers 0, 1, .. VALUES - 1 must arrive in order, round and round.
 *
 * Kind: buffered channels, mtype.
 * States: 2422255; depth: 497005; vector: 144 bytes.
 */
#ifndef CAPACITY
#define CAPACITY 4
#endif
#ifndef VALUES
#define VALUES 6
#endif

mtype = { message, ack };

chan from_user = [1] of { byte };
chan to_user = [1] of { byte };
chan forth_in = [CAPACITY] of { mtype, byte, bit };
chan forth_out = [CAPACITY] of { mtype, byte, bit };
chan back = [CAPACITY] of { mtype, bit };

active proctype Source()
{
	byte value;

	do
	:: from_user!value; value = (value + 1) % VALUES
	od
}

active proctype Sender()
{
	byte value;
	bit sequence, answer;

	do
	:: from_user?value ->
	   do
	   :: forth_in!message(value, sequence)
	   :: back?ack(answer) ->
		if
		:: answer == sequence -> break
		:: else
		fi
	   od;
	   sequence = 1 - sequence
	od
}

active proctype Medium()
{
	byte value;
	bit sequence;

	do
	:: forth_in?message(value, sequence) ->
	   if
	   :: forth_out!message(value, sequence)
	   :: skip					/* lost */
	   fi
	:: back?ack(_)					/* lost on the way back */
	od
}

active proctype Receiver()
{
	byte value;
	bit sequence, wanted;

	do
	:: forth_out?message(value, sequence) ->
	   if
	   :: sequence == wanted -> to_user!value; wanted = 1 - wanted
	   :: else
	   fi;
	   back!ack(sequence)
	od
}

active proctype Sink()
{
	byte value, expected;

	do
	:: to_user?value -> assert(value == expected); expected = (expected + 1) % VALUES
	od
}
