package frame

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// kept are the events of a stream after index, or an error.
func kept(t *testing.T, r *replayStore, session, stream string, index int) ([]string, error) {
	var events []string
	for data, err := range r.After(t.Context(), session, stream, index) {
		if err != nil {
			return nil, err
		}
		events = append(events, string(data))
	}
	return events, nil
}

func TestEventsAreReplayedFromAnIndex(t *testing.T) {
	var answered []string
	r := newReplayStore(func(session, sdk string) { answered = append(answered, session+" "+sdk) })
	require.NoError(t, r.Open(t.Context(), "s", "a"))
	require.NoError(t, r.Append(t.Context(), "s", "a", nil)) // the priming event
	require.NoError(t, r.Append(t.Context(), "s", "a", []byte(`{"method":"x"}`)))
	require.NoError(t, r.Append(t.Context(), "s", "a", []byte(`{"id":"mcpstar/id::1","result":{}}`)))
	require.Equal(t, []string{"s mcpstar/id::1"}, answered)
	for index, want := range map[int]int{-1: 3, 0: 2, 1: 1, 2: 0, 99: 0} {
		events, err := kept(t, r, "s", "a", index)
		require.NoError(t, err)
		require.Len(t, events, want)
	}
	_, err := kept(t, r, "s", "b", -1)
	require.ErrorIs(t, err, errPurged)
	_, err = kept(t, r, "t", "a", -1)
	require.ErrorIs(t, err, errPurged)
	require.NoError(t, r.SessionClosed(t.Context(), "s"))
	require.ErrorIs(t, r.Append(t.Context(), "s", "a", nil), errPurged)
	require.Zero(t, r.bytes)
	require.Empty(t, r.sessions)
}

func TestWhatIsReplayedIsBounded(t *testing.T) {
	r := newReplayStore(func(string, string) {})
	for session := range 300 {
		id := fmt.Sprint(session)
		require.NoError(t, r.Open(t.Context(), id, ""))
		for stream := range 100 {
			require.NoError(t, r.Open(t.Context(), id, fmt.Sprint(stream)))
			_ = r.Append(t.Context(), id, fmt.Sprint(stream), bytes.Repeat([]byte("x"), 9_000))
		}
		require.LessOrEqual(t, len(r.sessions[id].streams), replayStreams)
		require.LessOrEqual(t, r.sessions[id].bytes, replaySession)
	}
	require.LessOrEqual(t, r.bytes, replayTotal)
	total := 0
	for _, s := range r.sessions {
		of := 0
		for _, st := range s.streams {
			of += st.bytes
		}
		require.Equal(t, s.bytes, of)
		total += of
	}
	require.Equal(t, total, r.bytes, "the books are in order")
}

func TestAnEventTooLongToKeepStillHasAnIndex(t *testing.T) {
	r := newReplayStore(func(string, string) {})
	require.NoError(t, r.Open(t.Context(), "s", "a"))
	require.NoError(t, r.Append(t.Context(), "s", "a", []byte("0")))
	require.ErrorIs(t, r.Append(t.Context(), "s", "a", make([]byte, replaySession+1)), errPurged)
	require.NoError(t, r.Append(t.Context(), "s", "a", []byte("2")))
	_, err := kept(t, r, "s", "a", 0)
	require.ErrorIs(t, err, errPurged, "1 is gone")
	events, err := kept(t, r, "s", "a", 1)
	require.NoError(t, err)
	require.Equal(t, []string{"2"}, events)
}

func TestCompleteStreamsAreGivenUpFirst(t *testing.T) {
	r := newReplayStore(func(string, string) {})
	require.NoError(t, r.Open(t.Context(), "s", ""))
	for i := range replayStreams - 1 {
		require.NoError(t, r.Open(t.Context(), "s", fmt.Sprint(i)))
	}
	require.NoError(t, r.Append(t.Context(), "s", "7", []byte(`{"id":"mcpstar/id::1","result":{}}`)))
	require.NoError(t, r.Open(t.Context(), "s", "new"))
	require.NotContains(t, r.sessions["s"].streams, "7")
	require.NoError(t, r.Open(t.Context(), "s", "newer"))
	require.NotContains(t, r.sessions["s"].streams, "0", "then the oldest")
	require.Contains(t, r.sessions["s"].streams, "", "but never the one that no request has opened")
	require.ErrorIs(t, r.Append(t.Context(), "s", "7", nil), errPurged)
}
