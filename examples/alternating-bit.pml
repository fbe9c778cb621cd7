/* The alternating bit protocol over channels that lose messages. The receiver must get the numbers
 * 0, 1, 2, … (modulo MAX) in order, none twice and none left out.
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
	:: to_receiver?message(_, _)			/* lost on the way */
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
	:: to_sender?ack(_)				/* lost on the way */
	od
}
