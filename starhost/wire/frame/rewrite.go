package frame

// A rewriter makes of a judged message the one that the SDK gets.
type rewriter struct {
	// leaveAnswers keeps inputResponses, requestState and the results of the
	// server's own requests where the client put them.
	leaveAnswers bool
}

// forSDK is m's params as the SDK may see them, in memory of their own; nil when
// there are none.
func (rw rewriter) forSDK(m *message) []byte {
	p := &m.params
	edit := metaEdit{drop: p.envelope.private || p.metaCount > 1}
	if m.kind == notification && m.modern() {
		edit.drop, edit.bare = true, true // to the SDK the envelope would be a request's
	}
	edit.token, edit.tokenMoved = sdkToken(p.envelope.progressToken)
	if m.kind == request {
		switch m.method {
		case "tools/call", "prompts/get", "resources/read":
			edit.requestID = m.id
			if !rw.leaveAnswers {
				edit.inputResponses, edit.requestState = p.inputResponses, p.requestState
			}
			return p.rewrite(m.method, &edit)
		case "completion/complete", "subscriptions/listen":
			edit.requestID = m.id
			return p.rewrite(m.method, &edit)
		case "initialize":
			edit.bare = true
			return p.rewrite(m.method, &edit)
		}
	}
	if edit.drop || edit.tokenMoved {
		return p.rewrite(m.method, &edit)
	}
	if p.raw == nil {
		return nil
	}
	return append([]byte(nil), p.raw...)
}

// rewrite builds the object anew: every member that stays, then _meta.
func (p *params) rewrite(method string, edit *metaEdit) []byte {
	out := make([]byte, 1, len(p.raw)+len(edit.inputResponses)+len(edit.requestState)+len(edit.requestID)+160)
	out[0] = '{'
	if p.raw != nil {
		ms := membersOf(p.raw, 0, 1)
		ms.known = p.arguments
		for ms.next() {
			if p.stays(method, &ms.member, edit) {
				out = appendMember(out, ms.key, ms.value)
			}
		}
	}
	if method == "initialize" {
		out = appendMember(out, []byte("protocolVersion"), p.negotiated())
	}
	if meta := edit.apply(p.meta); meta != nil {
		out = appendMember(out, []byte("_meta"), meta)
	}
	return append(out, '}')
}

// stays reports whether a member goes to the SDK as it is. Repeated members that
// matter are reduced to the one that was judged.
func (p *params) stays(method string, m *member, edit *metaEdit) bool {
	switch string(m.key) {
	case "_meta":
		return false
	case "name":
		return same(m.value, p.name)
	case "uri":
		return same(m.value, p.uri)
	case "arguments":
		return same(m.value, p.arguments) && !isNull(m.value)
	case "inputResponses":
		return edit.inputResponses == nil
	case "requestState":
		return edit.requestState == nil
	case "protocolVersion":
		return method != "initialize"
	}
	return true
}

// same reports whether a and b are the same place in the same message.
func same(a, b []byte) bool { return len(a) > 0 && len(b) > 0 && &a[0] == &b[0] }

// negotiated is the version that initialize asks the SDK for: the client's, if it is
// one that a handshake can agree on.
func (p *params) negotiated() []byte {
	if isString(p.version) {
		if version, _ := unquote(p.version); isLegacy(version) {
			return p.version
		}
	}
	return []byte(`"` + latestLegacy + `"`)
}

// appendMember writes "key":value with the comma before it that it needs.
func appendMember(dst, key, value []byte) []byte {
	if dst[len(dst)-1] != '{' {
		dst = append(dst, ',')
	}
	dst = appendQuoted(dst, string(key))
	return append(append(dst, ':'), value...)
}

// metaEdit says what changes in _meta.
type metaEdit struct {
	drop       bool   // our own keys, which a client has no business sending
	bare       bool   // the envelope's keys, which mean nothing in a handshake
	token      string // instead of progressToken, if tokenMoved
	tokenMoved bool

	requestID                    string
	inputResponses, requestState []byte
}

// apply is the new _meta, or nil for none.
func (e *metaEdit) apply(meta []byte) []byte {
	out := make([]byte, 1, len(meta)+2*len(e.inputResponses)+len(e.requestState)+len(e.requestID)+160)
	out[0] = '{'
	if isObject(meta) {
		ms := membersOf(meta, 0, 2)
		for ms.next() {
			out = e.keep(out, &ms.member)
		}
	}
	if e.tokenMoved {
		out = appendMember(out, []byte("progressToken"), appendQuoted(nil, e.token))
	}
	for _, own := range []struct{ key, text string }{
		{MetaRequestID, e.requestID}, {MetaInputResponses, string(e.inputResponses)}, {MetaRequestState, string(e.requestState)},
	} {
		if own.text != "" {
			out = appendMember(out, []byte(own.key), appendQuoted(nil, own.text))
		}
	}
	if len(out) == 1 && meta == nil {
		return nil
	}
	return append(out, '}')
}

func (e *metaEdit) keep(out []byte, m *member) []byte {
	switch key := string(m.key); key {
	case metaVersion, metaCapabilities, metaClientInfo:
		if e.bare {
			return out
		}
	case "progressToken":
		if e.tokenMoved {
			return out
		}
	default:
		if len(key) >= len(ownPrefix) && key[:len(ownPrefix)] == ownPrefix {
			return out
		}
	}
	return appendMember(out, m.key, m.value)
}
