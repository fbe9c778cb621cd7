// expect: rejected
// message: process
// spin: 6.5.2
// Nothing at all.
