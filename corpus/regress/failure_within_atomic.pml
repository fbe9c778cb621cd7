// expect: violated invalid array index
// unreached: 12 14 15
// Steps of an atomic sequence are searched as one; those before the one that fails were executed.
byte x, y, a[2];

active proctype P() {
	byte k;
	atomic {
		x = 1;
		k = 3;
		a[k] = 1;
		y = 2
	};
	x = 4
}
