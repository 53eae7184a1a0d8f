package types

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
)

// compile reads a pattern, and tells an author what Go's patterns lack.
func compile(pattern string) (*regexp.Regexp, error) {
	re, err := regexp.Compile(pattern)
	if err == nil {
		return re, nil
	}
	var bad *syntax.Error
	if !errors.As(err, &bad) {
		return nil, fmt.Errorf("pattern: %w", err)
	}
	switch {
	case strings.Contains(pattern, "(?=") || strings.Contains(pattern, "(?!"):
		return nil, errors.New("pattern: there is no look-ahead, (?=...) or (?!...), in these patterns (RE2); write what may stand there, or check it in the function")
	case strings.Contains(pattern, "(?<=") || strings.Contains(pattern, "(?<!"):
		return nil, errors.New("pattern: there is no look-behind, (?<=...) or (?<!...), in these patterns (RE2); write what may stand there, or check it in the function")
	case bad.Code == syntax.ErrInvalidEscape:
		return nil, fmt.Errorf("pattern: %s does not exist in these patterns (RE2 has no back-references)", bad.Expr)
	}
	return nil, fmt.Errorf("pattern: %s: %s", bad.Code, bad.Expr)
}
