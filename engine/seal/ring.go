package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"strconv"
)

// SecretSize is how many bytes a secret has at least.
const SecretSize = 32

const (
	prefix    = "v1."
	keyIDSize = 4
	nonceSize = 12
	tagSize   = 16

	// What keys are derived for: the same secret given to another program, or to
	// a later format, gives other keys.
	keyInfo   = "mcpstar requestState v1 AES-256-GCM"
	keyIDInfo = "mcpstar requestState v1 key id"
)

// A Ring holds the keys that seal state and open it again: the first one seals,
// all of them open. Several instances of a server share state by sharing a ring.
//
// To replace a key without losing a call, in three steps, each rolled out to all
// instances before the next: old, new; then new, old; then, after [DefaultTTL], new.
//
// One key is good for some four billion tokens (nonces are random): replace it
// before then.
//
// A Ring never changes and is safe for concurrent use. The zero Ring seals nothing
// and opens nothing. Printing one shows no key.
type Ring struct{ keys []key }

type key struct {
	id   [keyIDSize]byte
	aead cipher.AEAD // makes its own nonces, and puts them first
}

// NewRing derives a ring from secrets, which must be random, [SecretSize] bytes or
// more, and different from each other. The bytes are not kept.
//
// No secret at all is an error, and so is a short or a repeated one; the error
// says which, counting as Go does (keys[0]), and holds nothing of a secret.
func NewRing(secrets ...[]byte) (*Ring, error) {
	if err := checkSecrets(secrets, func(i int) string { return "keys[" + strconv.Itoa(i) + "]" }); err != nil {
		return nil, err
	}
	r := &Ring{keys: make([]key, len(secrets))}
	for i, secret := range secrets {
		k, err := deriveKey(secret)
		if err != nil {
			return nil, err
		}
		r.keys[i] = k
	}
	return r, nil
}

// RandomRing is a ring with a key that nobody else has: what it seals is refused
// by every other instance, and after a restart.
func RandomRing() *Ring {
	secret := make([]byte, SecretSize)
	_, _ = rand.Read(secret) // never fails: the runtime ends the process instead
	r, err := NewRing(secret)
	if err != nil {
		panic("seal: " + err.Error()) // unreachable: the secret is long enough
	}
	return r
}

// Format writes how many keys r has, whatever the verb: a ring in a log line or in
// a dumped struct must not spell out its keys.
func (r Ring) Format(f fmt.State, _ rune) {
	_, _ = fmt.Fprintf(f, "seal.Ring(keys: %d)", len(r.keys))
}

var errNoKeys = errors.New("there must be at least one state key: make one with `openssl rand -base64 32`")

// checkSecrets refuses secrets that can't make a ring. place names the i-th one as
// whoever gave it counts them.
func checkSecrets(secrets [][]byte, place func(i int) string) error {
	if len(secrets) == 0 {
		return errNoKeys
	}
	for i, secret := range secrets {
		if len(secret) < SecretSize {
			return fmt.Errorf("state keys must be at least %d bytes of secret randomness, but %s is %d bytes: make one with `openssl rand -base64 32`",
				SecretSize, place(i), len(secret))
		}
		for j, earlier := range secrets[:i] {
			if subtle.ConstantTimeCompare(earlier, secret) == 1 {
				return fmt.Errorf("%s is the same state key as %s: remove one of them", place(i), place(j))
			}
		}
	}
	return nil
}

func deriveKey(secret []byte) (key, error) {
	derived, err := hkdf.Key(sha256.New, secret, nil, keyInfo, 32)
	if err != nil {
		return key{}, fmt.Errorf("deriving a state key: %w", err)
	}
	block, err := aes.NewCipher(derived)
	if err != nil {
		return key{}, fmt.Errorf("deriving a state key: %w", err)
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return key{}, fmt.Errorf("deriving a state key: %w", err)
	}
	id, err := hkdf.Key(sha256.New, secret, nil, keyIDInfo, keyIDSize)
	if err != nil {
		return key{}, fmt.Errorf("deriving a state key: %w", err)
	}
	return key{id: [keyIDSize]byte(id), aead: aead}, nil
}

// context is what a token's tag vouches for beside its content.
func (k key) context() []byte { return append([]byte(prefix), k.id[:]...) }
