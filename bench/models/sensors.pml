/* A data logger: SENSORS sensors write samples into rings of their own in shared memory; a collector moves them into a log, and
 * a flusher writes the log out. Lost samples are counted, none is logged twice.
 *
 * Kind: wide vector (arrays of more than a hundred bytes), shared variables, typedef.
 * States: 3121116; depth: 175; vector: 180 bytes.
 */
#ifndef SENSORS
#define SENSORS 3
#endif
#ifndef SAMPLES
#define SAMPLES 2
#endif
#define RING 8
#define LOG 48

typedef Sensor {
	byte ring[RING];
	byte head, tail, lost;
	byte number
}
Sensor sensor[SENSORS];
byte log_sensor[LOG], log_sample[LOG];
byte log_head, log_tail;
byte next[SENSORS];

active [SENSORS] proctype Source()
{
	byte place;

	do
	:: sensor[_pid].number < SAMPLES ->
		place = sensor[_pid].head;
		if
		:: (place + 1) % RING == sensor[_pid].tail -> sensor[_pid].lost++
		:: else ->
			sensor[_pid].ring[place] = sensor[_pid].number + 1;
			sensor[_pid].head = (place + 1) % RING
		fi;
		sensor[_pid].number++
	:: else -> break
	od
}

active proctype Collector()
{
	byte i;

end:	do
	:: sensor[i].head != sensor[i].tail && (log_head + 1) % LOG != log_tail ->
		log_sensor[log_head] = i;
		log_sample[log_head] = sensor[i].ring[sensor[i].tail];
		d_step {
			sensor[i].ring[sensor[i].tail] = 0;
			sensor[i].tail = (sensor[i].tail + 1) % RING;
			log_head = (log_head + 1) % LOG
		}
	:: i = (i + 1) % SENSORS
	od
}

active proctype Flusher()
{
	byte from;

end:	do
	:: log_head != log_tail ->
		from = log_sensor[log_tail];
		assert(log_sample[log_tail] > next[from]);
		next[from] = log_sample[log_tail];
		d_step {
			log_sensor[log_tail] = 0;
			log_sample[log_tail] = 0;
			log_tail = (log_tail + 1) % LOG;
			from = 0
		}
	od
}
