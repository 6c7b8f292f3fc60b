package bench

import (
	"flag"
	"os"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/bench/peer"
)

// Of BenchmarkMCP.
var (
	write  = flag.Bool("write", false, "write its tables into docs/benchmarks.md and README.md")
	rounds = flag.Int("rounds", 15, "at most so many of each row")
	only   = flag.String("only", "", "rows and parts whose name this pattern finds; all when empty")
	among  = flag.String("among", "", "servers whose name this pattern finds, beside the floor; all when empty")
)

// Of BenchmarkQuick, which also has -only.
var (
	against   = flag.String("against", "", `commit to compare with, or "self" for the tree itself; if empty, HEAD if there are uncommitted changes, else HEAD^`)
	quickTime = flag.Duration("for", 90*time.Second, "time to measure")
	jsonFile  = flag.String("json", "", "file to write the result into, as JSON")
	allow     = flag.Bool("allow", false, "pass even if an action is slower")
)

func TestMain(m *testing.M) { os.Exit(peer.Main(m)) }
