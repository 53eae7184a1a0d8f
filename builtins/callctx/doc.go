// Package callctx is ctx, the parameter by which a tool or a resolver sees the
// call it is part of: who asks, what the client can do, the server's state, and
// the ways to say something while the call runs.
//
// The host fills in an [Info]; a [Context] shows it to scripts. Nothing of ctx
// comes from the model, and only ctx.auth is an identity: headers are what a
// client chose to send.
//
// It may import engine. Start reading at [Info].
package callctx
