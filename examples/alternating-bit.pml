/* The alternating bit protocol over lossy channels. The assertion: the receiver gets the
 * numbers 0, 1, 2, … (modulo MAX) in order, without loss or duplication.
 *
 * expect: holds
 */
#define MAX 4

mtype = { message, ack };

chan to_receiver = [1] of { mtype, byte, bit };
chan to_sender   = [1] of { mtype, bit };

active proctype Sender()
{
	byte data;
	bit sequence, acknowledged;

	do
	:: to_receiver!message(data, sequence)
	:: to_receiver?message(_, _)			/* message loss */
	:: to_sender?ack(acknowledged);
	   if
	   :: acknowledged == sequence ->
		data = (data + 1) % MAX;
		sequence = 1 - sequence
	   :: else
	   fi
	od
}

active proctype Receiver()
{
	byte data, expected;
	bit sequence, wanted;

	do
	:: to_receiver?message(data, sequence);
	   if
	   :: sequence == wanted ->
		assert(data == expected);
		expected = (expected + 1) % MAX;
		wanted = 1 - wanted
	   :: else
	   fi;
	   to_sender!ack(sequence)
	:: to_sender?ack(_)				/* message loss */
	od
}
