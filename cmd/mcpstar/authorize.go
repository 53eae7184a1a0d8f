package main

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpstar/mcpstar/starhost"
	"github.com/mcpstar/mcpstar/starhost/wire/auth"
)

// Where the credentials for --auth-introspect come from: flags are seen by everybody
// on the machine.
const (
	introspectID     = "MCPSTAR_AUTH_CLIENT_ID"
	introspectSecret = "MCPSTAR_AUTH_CLIENT_SECRET"
)

// authFlags are the flags of mcpstar serve that say who may call over HTTP.
type authFlags struct {
	jwks       string
	introspect string
	tokens     string
	issuer     string
	audiences  []string
	scopes     []string
	url        string
}

func (f *authFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.jwks, "auth-jwks", "", "let in bearers of signed tokens; the keys are at this https URL or in this file")
	flags.StringVar(&f.introspect, "auth-introspect", "", "let in bearers of tokens that this introspection endpoint calls active (credentials: "+introspectID+" and "+introspectSecret+")")
	flags.StringVar(&f.tokens, "auth-tokens", "", "let in bearers of the tokens in this file: a name, a token or its sha256:HASH, and scopes, one a line")
	flags.StringVar(&f.issuer, "auth-issuer", "", "the authorization server that makes the tokens")
	flags.StringSliceVar(&f.audiences, "auth-audience", nil, "what the tokens call this server (repeat it, or separate with commas)")
	flags.StringSliceVar(&f.scopes, "auth-scope", nil, "a scope that every token needs")
	flags.StringVar(&f.url, "auth-url", "", "where clients reach this server, if a proxy stands before it (default: --auth-audience, if that is a URL)")
}

func (f *authFlags) given() bool {
	return f.jwks != "" || f.introspect != "" || f.tokens != "" || f.issuer != "" || f.url != "" || f.audiences != nil || f.scopes != nil
}

// authorization is what the flags ask for, nil for none. getenv is os.Getenv.
func (f *authFlags) authorization(address string, getenv func(string) string, logger *slog.Logger) (*starhost.Auth, error) {
	if !f.given() {
		return nil, nil
	}
	server := f.jwks != "" || f.introspect != ""
	switch {
	case address == "":
		return nil, errors.New("--auth-... is for --http: over stdio whoever starts the server is the one who calls")
	case f.jwks != "" && f.introspect != "":
		return nil, errors.New("--auth-jwks and --auth-introspect are two ways to verify the same tokens: give one")
	case !server && (f.issuer != "" || f.audiences != nil):
		return nil, errors.New("--auth-issuer and --auth-audience need --auth-jwks or --auth-introspect, which verifies tokens of that issuer")
	case !server && f.tokens == "":
		return nil, errors.New("nothing says which tokens are good: give --auth-jwks, --auth-introspect or --auth-tokens")
	case server && (f.issuer == "" || f.audiences == nil):
		return nil, errors.New("tokens of an authorization server need --auth-issuer, who makes them, and --auth-audience, what they call this server: else any token of that server's would do")
	}
	a := &starhost.Auth{URL: f.resource(), Scopes: f.scopes}
	var verifiers []auth.Verifier
	if f.tokens != "" {
		v, err := auth.OpenTokens(f.tokens, auth.TokensOptions{Logger: logger})
		if err != nil {
			return nil, fmt.Errorf("--auth-tokens: %w", err)
		}
		verifiers = append(verifiers, v)
	}
	if server {
		v, err := f.verifier(getenv, logger)
		if err != nil {
			return nil, err
		}
		verifiers = append(verifiers, v)
		a.Issuers = []string{f.issuer}
	}
	a.Verifier = auth.Any(verifiers...)
	return a, nil
}

// verifier is that of an authorization server's tokens.
func (f *authFlags) verifier(getenv func(string) string, logger *slog.Logger) (auth.Verifier, error) {
	if f.jwks != "" {
		v, err := auth.NewJWT(auth.JWTOptions{Keys: f.jwks, Issuer: f.issuer, Audiences: f.audiences, Logger: logger})
		if err != nil {
			return nil, fmt.Errorf("--auth-jwks: %w", err)
		}
		return v, nil
	}
	id, secret := getenv(introspectID), getenv(introspectSecret)
	if id == "" || secret == "" {
		return nil, fmt.Errorf("--auth-introspect needs the environment variables %s and %s: who asks about tokens has to say who they are", introspectID, introspectSecret)
	}
	v, err := auth.NewIntrospection(auth.IntrospectionOptions{
		URL: f.introspect, ClientID: id, ClientSecret: secret, Issuer: f.issuer, Audiences: f.audiences,
	})
	if err != nil {
		return nil, fmt.Errorf("--auth-introspect: %w", err)
	}
	return v, nil
}

// resource is where clients reach the server, or "".
func (f *authFlags) resource() string {
	if f.url != "" {
		return f.url
	}
	for _, audience := range f.audiences {
		if strings.HasPrefix(audience, "https://") || strings.HasPrefix(audience, "http://") {
			return audience
		}
	}
	return ""
}

// warn says what is open that may not be meant to be, or closed.
func (f *authFlags) warn(w io.Writer, host *starhost.Host, addr net.Addr) {
	if f.given() {
		return
	}
	if !loopback(addr) {
		fmt.Fprintln(w, "mcpstar: warning: anybody who can reach this address can call the tools: see --auth-jwks, --auth-introspect and --auth-tokens")
	}
	scopes := host.Offer().Scopes
	for _, tool := range slices.Sorted(maps.Keys(scopes)) {
		fmt.Fprintf(w, "mcpstar: warning: the tool %s needs the scope %s, and nobody can have it without --auth-jwks, --auth-introspect or --auth-tokens\n",
			tool, strings.Join(scopes[tool], " "))
	}
}
