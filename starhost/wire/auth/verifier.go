package auth

import (
	"context"
	"errors"
)

// A Verifier finds out whom a bearer token stands for. It is called for every
// request, by many at once, and must check all that makes a token good: that it is
// authentic, in time, and made for this server.
//
// An error that is an [Invalid] refuses the token. Any other says that there is no
// telling at the moment: the client is asked to try again later.
type Verifier interface {
	Verify(ctx context.Context, token string) (*Identity, error)
}

// A VerifierFunc is a function as a [Verifier].
type VerifierFunc func(ctx context.Context, token string) (*Identity, error)

// Verify calls f.
func (f VerifierFunc) Verify(ctx context.Context, token string) (*Identity, error) {
	return f(ctx, token)
}

// Invalid refuses a token. Its text is told to the client, so it must not say more
// than whoever holds the token may know.
type Invalid string

func (why Invalid) Error() string { return string(why) }

// unknown refuses a token of which nothing is known.
const unknown = Invalid("the token is not known")

// Any is the verifier that asks each of several in turn, until one knows the token.
// What refuses it is what the last one says.
func Any(verifiers ...Verifier) Verifier {
	if len(verifiers) == 1 {
		return verifiers[0]
	}
	return VerifierFunc(func(ctx context.Context, token string) (*Identity, error) {
		err := error(unknown)
		for _, v := range verifiers {
			var id *Identity
			if id, err = v.Verify(ctx, token); err == nil {
				return id, nil
			}
			var invalid Invalid
			if !errors.As(err, &invalid) {
				return nil, err
			}
		}
		return nil, err
	})
}
