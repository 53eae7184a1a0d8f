// Package auth makes an MCP endpoint over HTTP an OAuth 2.0 resource server: every
// request carries a bearer token, the token is verified, and what it stands for,
// an [Identity], goes with the request. Tokens are made elsewhere, by an
// authorization server.
//
// A [Verifier] finds out whom a token stands for:
//
//   - [NewJWT]: signed tokens (RFC 7519, RFC 9068), against a set of keys that is
//     fetched or read from a file
//   - [NewIntrospection]: opaque tokens, by asking who has made them (RFC 7662)
//   - [OpenTokens]: a file with a line for each token, for small set-ups
//   - [Any]: the first of several that knows the token
//
// A [Resource] asks it, and speaks HTTP: the challenges of RFC 6750 and the
// metadata of RFC 9728, as the authorization chapter of the MCP specification has
// them.
//
// It may import the Go SDK (which carries the identity to handlers), a JWT library
// and engine. It knows nothing of scripts: what scopes a request needs is told to
// it. Start reading at [Resource].
package auth
