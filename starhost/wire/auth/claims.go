package auth

import (
	"encoding/json"
	"strings"

	"github.com/mcpstar/mcpstar/engine/exactjson"
)

// claims are what the members of a token, or of an answer about one, mean. Their
// names differ: client_id is RFC 9068's, azp OpenID Connect's, cid and appid are of
// well-known servers; scope is RFC 8693's, scp of those.
type claims struct {
	Subject  string          `json:"sub"`
	ClientID string          `json:"client_id"`
	Party    string          `json:"azp"`
	CID      string          `json:"cid"`
	AppID    string          `json:"appid"`
	Scope    words           `json:"scope"`
	Scp      words           `json:"scp"`
	Confirm  json.RawMessage `json:"cnf"`
}

// words are a text of words, or a list of them.
type words []string

func (w *words) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		*w = strings.Fields(text)
		return nil
	}
	return json.Unmarshal(data, (*[]string)(w))
}

// identity reads a JSON object of claims. Who has made it is for the caller to know.
func identity(issuer string, object json.RawMessage) (*Identity, error) {
	if _, err := exactjson.Decode(object, exactjson.Limits{}); err != nil {
		return nil, Invalid("the token's claims can't be read") // a script couldn't either
	}
	var c claims
	if err := json.Unmarshal(object, &c); err != nil {
		return nil, Invalid("the token's claims can't be read")
	}
	if len(c.Confirm) > 0 && string(c.Confirm) != "null" {
		// Whoever steals such a token can't use it, as long as nobody takes it bare.
		return nil, Invalid("the token is bound to a key, and can't be used as a bearer token")
	}
	id := &Identity{Issuer: issuer, Subject: c.Subject, Scopes: append(c.Scope, c.Scp...), Claims: object}
	for _, client := range []string{c.ClientID, c.Party, c.CID, c.AppID} {
		if id.Client == "" {
			id.Client = client
		}
	}
	return id, nil
}
