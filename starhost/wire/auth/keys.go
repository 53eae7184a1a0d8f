package auth

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"
)

// mostKeys is how many keys of a set count.
const mostKeys = 100

// A key verifies signatures of some algorithms.
type key struct {
	id         string
	algorithms []string
	public     crypto.PublicKey
}

// algorithms are all that are accepted.
func algorithms() []string {
	return []string{"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"}
}

// A jwk is a JSON Web Key.
type jwk struct {
	Kind       string   `json:"kty"`
	ID         string   `json:"kid"`
	Use        string   `json:"use"`
	Operations []string `json:"key_ops"`
	Algorithm  string   `json:"alg"`
	Curve      string   `json:"crv"`
	N, E, X, Y string
}

// parseKeys reads a set of keys. Keys of other kinds, for other uses, and such as
// are broken don't count; a set with none that does is an error.
func parseKeys(text []byte) ([]key, error) {
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := json.Unmarshal(text, &set); err != nil {
		return nil, errors.New("no set of keys (JWKS)")
	}
	if len(set.Keys) > mostKeys {
		return nil, fmt.Errorf("more than %d keys", mostKeys)
	}
	var keys []key
	why := errors.New("there is none")
	for _, raw := range set.Keys {
		var j jwk
		if err := json.Unmarshal(raw, &j); err != nil {
			why = errors.New("a member is of the wrong type")
			continue
		}
		k, err := j.key()
		if err != nil {
			why = err
			continue
		}
		keys = append(keys, k)
	}
	if keys == nil {
		return nil, fmt.Errorf("the set has no key to verify signatures with: %w", why)
	}
	return keys, nil
}

func (j *jwk) key() (key, error) {
	k := key{id: j.ID}
	if j.Use != "" && j.Use != "sig" || j.Operations != nil && !slices.Contains(j.Operations, "verify") {
		return k, errors.New("it is for another use")
	}
	var err error
	switch j.Kind {
	case "RSA":
		k.public, err = j.rsa()
		k.algorithms = []string{"RS256", "RS384", "RS512", "PS256", "PS384", "PS512"}
	case "EC":
		k.public, k.algorithms, err = j.ecdsa()
	case "OKP":
		k.public, err = j.ed25519()
		k.algorithms = []string{"EdDSA"}
	default:
		return k, fmt.Errorf("keys of kind %q are not for this", j.Kind)
	}
	if err != nil {
		return k, err
	}
	if j.Algorithm != "" {
		if !slices.Contains(k.algorithms, j.Algorithm) {
			return k, fmt.Errorf("algorithm %q is not one of this kind of key", j.Algorithm)
		}
		k.algorithms = []string{j.Algorithm}
	}
	return k, nil
}

func (j *jwk) rsa() (crypto.PublicKey, error) {
	n, err := number(j.N)
	if err != nil {
		return nil, err
	}
	e, err := number(j.E)
	if err != nil {
		return nil, err
	}
	if bits := n.BitLen(); bits < 2048 || bits > 16384 {
		return nil, fmt.Errorf("an RSA key of %d bits: 2048 to 16384 will do", bits)
	}
	if e.BitLen() > 31 || e.Int64() < 3 || e.Bit(0) == 0 {
		return nil, errors.New("an RSA key with a bad exponent")
	}
	return &rsa.PublicKey{N: n, E: int(e.Int64())}, nil
}

func (j *jwk) ecdsa() (crypto.PublicKey, []string, error) {
	var curve elliptic.Curve
	var algorithm string
	switch j.Curve {
	case "P-256":
		curve, algorithm = elliptic.P256(), "ES256"
	case "P-384":
		curve, algorithm = elliptic.P384(), "ES384"
	case "P-521":
		curve, algorithm = elliptic.P521(), "ES512"
	default:
		return nil, nil, fmt.Errorf("curve %q is not for this", j.Curve)
	}
	size := (curve.Params().BitSize + 7) / 8
	point := []byte{4} // uncompressed
	for _, text := range []string{j.X, j.Y} {
		coordinate, err := base64.RawURLEncoding.DecodeString(text)
		if err != nil || len(coordinate) != size {
			return nil, nil, errors.New("a coordinate can't be read")
		}
		point = append(point, coordinate...)
	}
	public, err := ecdsa.ParseUncompressedPublicKey(curve, point)
	if err != nil {
		return nil, nil, errors.New("a point that is not on its curve")
	}
	return public, []string{algorithm}, nil
}

func (j *jwk) ed25519() (crypto.PublicKey, error) {
	if j.Curve != "Ed25519" {
		return nil, fmt.Errorf("curve %q is not for this", j.Curve)
	}
	public, err := base64.RawURLEncoding.DecodeString(j.X)
	if err != nil || len(public) != ed25519.PublicKeySize {
		return nil, errors.New("an Ed25519 key that can't be read")
	}
	return ed25519.PublicKey(public), nil
}

func number(text string) (*big.Int, error) {
	data, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || len(data) == 0 || len(data) > 4096 {
		return nil, errors.New("a number can't be read")
	}
	return new(big.Int).SetBytes(data), nil
}
