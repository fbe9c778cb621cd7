/* A server that starts an agent for each client it accepts and hands the client the agent's private channel.
 * Agents end after the last request and can be started anew.
 *
 * Kind: rendezvous and buffered channels, channels in messages, dynamic creation of processes.
 * States: 1996975; depth: 128543; vector: 112 bytes.
 */
#ifndef CLIENTS
#define CLIENTS 3
#endif
#ifndef AGENTS
#define AGENTS 2
#endif
#ifndef REQUESTS
#define REQUESTS 1
#endif

/* An agent that has ended keeps its place until those started later have ended too. */
#define LIMIT (CLIENTS + 1 + AGENTS)

mtype = { hello, ask, reply, goodbye, denied };
chan server = [0] of { mtype, chan };
chan pool[AGENTS] = [1] of { mtype, byte };
bool busy[AGENTS];
byte agents;

proctype Agent(byte place; chan client)
{
	byte number;

	client!hello(place);
	do
	:: pool[place]?ask(number) -> client!reply(number + 1)
	:: pool[place]?goodbye(_) -> break
	od;
	atomic { busy[place] = false; agents-- }
}

active proctype Server()
{
	chan client;
	byte place;

end:	do
	:: server?hello(client) ->
		place = 0;
		do
		:: _nr_pr >= LIMIT -> client!denied(0); break
		:: place < AGENTS && busy[place] -> place++
		:: place < AGENTS && !busy[place] && _nr_pr < LIMIT ->
			atomic {
				busy[place] = true;
				agents++;
				run Agent(place, client)
			}
			break
		:: place == AGENTS -> client!denied(0); break
		od;
		place = 0
	od
}

active [CLIENTS] proctype Client()
{
	chan me = [0] of { mtype, byte };
	byte agent, count, result;

	do
	:: server!hello(me);
	   if
	   :: me?hello(agent) ->
		count = 0;
		do
		:: count < REQUESTS ->
			pool[agent]!ask(count);
			me?reply(result);
			assert(result == count + 1);
			count++
		:: pool[agent]!goodbye(0) -> break
		od
	   :: me?denied(_)
	   fi;
	   agent = 0;
	   count = 0;
	   result = 0
	od
}
