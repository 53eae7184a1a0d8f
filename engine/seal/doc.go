// Package seal turns the state of a call into requestState: the opaque text that
// a client keeps between two rounds and echoes. A client can neither read it nor
// change it, nor use it for another call.
//
// A token is
//
//	v1. base64url( key id 4 ‖ nonce 12 ‖ AES-256-GCM ciphertext and tag )
//
// without padding, and in exactly one spelling. The prefix and the key id are
// authenticated with it. Inside is compact JSON: when the state was made and when
// it expires, which request it belongs to (a [Binding]), and the state itself.
//
// Everything that is wrong with a token is one error, [Refused], and one answer to
// the client, [Answer]: who forges tokens learns nothing from it.
//
// The package takes secrets as bytes and text, and reads no files and no
// environment itself. Start reading at [Ring], then [Ring.Seal] and [Ring.Open].
package seal
