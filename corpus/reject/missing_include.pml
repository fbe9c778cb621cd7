// expect: rejected
// message: nowhere.pml
// spin: 6.5.2
// A file that is not there.
#include "nowhere.pml"
active proctype P() { skip }
