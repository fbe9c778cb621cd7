// expect: rejected
// message: typedef
// spin: 6.5.2
// Types are global.
active proctype P() { typedef T { byte a }; skip }
