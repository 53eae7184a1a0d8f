// Package authtest is an authorization server on loopback, for tests: it has keys,
// makes tokens, and answers questions about them. It makes bad tokens as readily as
// good ones.
//
// Start reading at [Server].
package authtest
