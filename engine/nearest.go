package engine

import "strings"

// Nearest is the candidate that word was probably meant to be, or "" when none
// is close. Ties go to the earlier candidate, so callers pass them in a stable
// order; but any letter is as near to another, so a word of one gives none then.
func Nearest(word string, candidates []string) string {
	const longest = 64 // the distance is quadratic, and names are short
	if word == "" || len(word) > longest {
		return ""
	}
	best, limit := "", (len(word)+1)/2
	if len(word) <= 2 {
		limit = 2
	}
	tied := false
	for _, c := range candidates {
		if len(c) > longest || c == word {
			continue
		}
		d := distance(strings.ToLower(word), strings.ToLower(c))
		switch {
		case d < limit:
			best, limit, tied = c, d, false
		case d == limit && best != "" && d > 0:
			tied = true
		}
	}
	if tied && len(word) == 1 {
		return ""
	}
	return best
}

// DidYouMean is a remedy that names the nearest candidate, or "".
func DidYouMean(word string, candidates []string) string {
	if n := Nearest(word, candidates); n != "" {
		return "did you mean " + n + "?"
	}
	return ""
}

// distance is the edit distance in which two swapped neighbours are one step.
func distance(a, b string) int {
	two, one := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range one {
		one[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row := make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(one[j]+1, row[j-1]+1, one[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], two[j-2]+1)
			}
		}
		two, one = one, row
	}
	return one[len(b)]
}
