// Sending to a channel parameter that was given no channel.
active proctype P(chan c) { c!1 }
