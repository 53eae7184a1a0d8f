package frame

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// guard keeps out pages of other sites: those that a browser sends here, and those
// that have their own name pointed at this machine. A status of 0 lets in.
func (h *Handler) guard(r *http.Request) (status int, text string) {
	if !h.hostAllowed(r) {
		return http.StatusMisdirectedRequest, "Invalid Host header"
	}
	if !h.originAllowed(r) {
		return http.StatusForbidden, "Invalid Origin header"
	}
	size := 0
	for name, values := range r.Header {
		for _, value := range values {
			size += len(name) + len(value)
		}
	}
	if size > h.opts.MaxHeader {
		return http.StatusRequestHeaderFieldsTooLarge, "Request header fields too large"
	}
	return 0, ""
}

func (h *Handler) hostAllowed(r *http.Request) bool {
	name, port := splitHost(r.Host)
	if name == "" {
		return false
	}
	if len(h.opts.AllowedHosts) > 0 {
		return slices.ContainsFunc(h.opts.AllowedHosts, func(allowed string) bool {
			if allowed == "*" {
				return true
			}
			allowedName, allowedPort := splitHost(allowed)
			return strings.EqualFold(name, allowedName) && (allowedPort == "" || allowedPort == "*" || allowedPort == port)
		})
	}
	if isLoopback(name) {
		return true
	}
	local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return false
	}
	at, err := netip.ParseAddrPort(local.String())
	asked, err2 := netip.ParseAddr(name)
	return err == nil && err2 == nil && !at.Addr().IsLoopback() && at.Addr().Unmap() == asked.Unmap()
}

// splitHost splits "name:port", where either may be missing, and takes the brackets
// off an IPv6 address.
func splitHost(host string) (name, port string) {
	name, port, err := net.SplitHostPort(host)
	if err != nil {
		name, port = host, ""
		if strings.HasPrefix(name, "[") && strings.HasSuffix(name, "]") {
			name = name[1 : len(name)-1]
		}
	}
	return name, port
}

func isLoopback(name string) bool {
	if strings.EqualFold(name, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(name)
	return err == nil && ip.Unmap().IsLoopback()
}

func (h *Handler) originAllowed(r *http.Request) bool {
	origins := r.Header.Values("Origin")
	if len(origins) == 0 {
		return true
	}
	if len(origins) > 1 {
		return false
	}
	origin, err := url.Parse(origins[0])
	if err != nil || origin.Scheme != "http" && origin.Scheme != "https" || origin.Host == "" ||
		origin.User != nil || origin.Path != "" || origin.RawQuery != "" || origin.Fragment != "" {
		return slices.Contains(h.opts.AllowedOrigins, origins[0]) || slices.Contains(h.opts.AllowedOrigins, "*")
	}
	if strings.EqualFold(origin.Host, r.Host) {
		return true
	}
	host, _ := splitHost(r.Host)
	if isLoopback(origin.Hostname()) && isLoopback(host) {
		return true
	}
	return slices.ContainsFunc(h.opts.AllowedOrigins, func(allowed string) bool {
		if base, ok := strings.CutSuffix(allowed, ":*"); ok {
			return strings.EqualFold(base, origin.Scheme+"://"+origin.Hostname()) || strings.EqualFold(base, origin.Scheme+"://["+origin.Hostname()+"]")
		}
		return allowed == "*" || strings.EqualFold(allowed, origins[0])
	})
}

// allowOrigin lets the page that sent the request read the answer. guard has let it in.
func (h *Handler) allowOrigin(w http.ResponseWriter, r *http.Request) {
	w.Header().Add("Vary", "Origin")
	if origin := r.Header.Get("Origin"); origin != "" {
		w.Header().Set("Access-Control-Allow-Origin", origin)
		w.Header().Set("Access-Control-Expose-Headers", "Mcp-Session-Id, Mcp-Protocol-Version, WWW-Authenticate")
	}
}

// preflight answers OPTIONS: a browser's question whether a page may send a request,
// or anybody's what there is to do here.
func preflight(w http.ResponseWriter, r *http.Request) {
	const methods = "POST, GET, DELETE, OPTIONS"
	if r.Header.Get("Origin") != "" && r.Header.Get("Access-Control-Request-Method") != "" {
		w.Header().Set("Access-Control-Allow-Methods", methods)
		if asked := r.Header.Get("Access-Control-Request-Headers"); asked != "" {
			w.Header().Set("Access-Control-Allow-Headers", asked)
		}
		w.Header().Set("Access-Control-Max-Age", "600")
	}
	w.Header().Set("Allow", methods)
	w.WriteHeader(http.StatusNoContent)
}
