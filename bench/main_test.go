package bench

import (
	"flag"
	"os"
	"testing"

	"github.com/gloveboxhq/glovebox/bench/peer"
)

var write = flag.Bool("write", false, "write the tables of BenchmarkMCP into docs/benchmarks.md and README.md")

func TestMain(m *testing.M) { os.Exit(peer.Main(m)) }
