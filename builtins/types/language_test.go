package types

import "testing"

func TestWordsDoWhatTheySay(t *testing.T) { runChunks(t, "testdata/words.star") }

func TestMistakesSayWhatToWriteInstead(t *testing.T) { runChunks(t, "testdata/mistakes.star") }
