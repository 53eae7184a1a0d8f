package starhost_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcpstar/mcpstar/starhost"
)

// In a resolver the clock stands still and chance repeats itself, so that a
// question may contain a time or an id.

const clocks = `
Yes = model(yes = bool)
def ticket(): return "%s %s %d %f %s" % (time.now(), uuid(), random.int(1, 1000000), random.float(), random.shuffle([1, 2, 3, 4, 5, 6, 7]))
def other(): return "%s" % uuid()
def real(): return "%d" % time.real().unix_nano
def one(t: resolve(ticket)): return elicit("First: %s?" % t, Yes)
def two(t: resolve(ticket), a: resolve(one)): return elicit("Second: %s?" % t, Yes)
def run(t: resolve(ticket), o: resolve(other), r: resolve(real), a: resolve(one), b: resolve(two), ctx) -> str:
    return "|".join([t, o, r, time.now().format("2006-01-02T15:04:05.999999999Z07:00"), ctx.call_id])
def call_of(ctx): return ctx.call_id
def id(c: resolve(call_of), a: resolve(one), b: resolve(two), ctx) -> str: return c + " " + ctx.call_id
tool(run)
tool(id)
`

func TestClockAndChanceStandStillInResolvers(t *testing.T) {
	for _, revision := range []string{handshake, rounds} {
		t.Run(revision, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := connect(t, serveHere(t, clocks, starhost.Options{}), revision)
				began := time.Now().UTC()
				var tickets []string
				played := c.call("run", "", func(q question) string {
					time.Sleep(time.Minute) // the bubble's clock: nobody waits
					tickets = append(tickets, string(q.params))
					return yes
				})
				parts := strings.Split(played.text(), "|")
				ticket, real, now := parts[0], parts[2], parts[3]
				require.Len(t, tickets, 2, "each question once")
				require.Contains(t, tickets[0], "First: "+ticket+"?")
				require.Contains(t, tickets[1], "Second: "+ticket+"?")
				require.True(t, strings.HasPrefix(ticket, began.Format(time.RFC3339Nano)), "the call's start")
				require.NotContains(t, ticket, parts[1], "each resolver has numbers of its own")

				at, err := time.Parse(time.RFC3339Nano, now)
				require.NoError(t, err)
				require.Equal(t, 2*time.Minute, at.Sub(began), "the body sees the real clock")
				if revision == rounds {
					require.Equal(t, began.Add(2*time.Minute).UnixNano(), atoi(t, real), "time.real() is the true time of the last round")
				}
				require.NotEqual(t, ticket, strings.Split(c.call("run", "", func(question) string { return yes }).text(), "|")[0])
			})
		})
	}
}

func TestCallIDIsOneOverAllRounds(t *testing.T) {
	onBoth(t, clocks, func(t *testing.T, c *client) {
		seen := map[string]bool{}
		for range 3 {
			ids := strings.Fields(c.call("id", "", answering("First", yes, "Second", yes)).text())
			require.Equal(t, ids[0], ids[1])
			require.NotEmpty(t, ids[0])
			require.False(t, seen[ids[0]], "another call has another")
			seen[ids[0]] = true
		}
	})
}

func TestCallIsRefusedBeyondItsAge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := connect(t, serveHere(t, twoQuestions, starhost.Options{MaxCallAge: time.Hour, StateTTL: 50 * time.Minute}), rounds)
		state := c.once("order", `{"title":"Dune"}`, "", nobody).state
		time.Sleep(40 * time.Minute)
		second := c.resume("order", `{"title":"Dune"}`, state, map[string]string{copiesKey: accept(`{"copies":2}`)})
		require.Equal(t, []string{nameKey}, wireKeys(second.asked), "each round has a time of its own")
		time.Sleep(20*time.Minute + time.Second)
		c.resume("order", `{"title":"Dune"}`, second.state, map[string]string{nameKey: accept(`{"name":"Ann"}`)}).
			refused(-32602, "Invalid or expired requestState", `{"reason":"invalid_request_state"}`)
	})
}
