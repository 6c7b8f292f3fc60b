package bench

import (
	"flag"
	"os"
	"testing"

	"github.com/gloveboxhq/glovebox/bench/peer"
)

// Of BenchmarkMCP.
var (
	write  = flag.Bool("write", false, "write its tables into docs/benchmarks.md and README.md")
	rounds = flag.Int("rounds", 15, "at most so many of each row")
	only   = flag.String("only", "", "rows and parts whose name this pattern finds; all when empty")
	among  = flag.String("among", "", "servers whose name this pattern finds, beside the floor; all when empty")
)

func TestMain(m *testing.M) { os.Exit(peer.Main(m)) }
