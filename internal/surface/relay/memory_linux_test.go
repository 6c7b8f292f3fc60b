package relay

import (
	"crypto/rand"
	"testing"
)

func TestReleasedMemoryIsNoLongerResident(t *testing.T) {
	waste := make([]byte, 64<<20)
	if _, err := rand.Read(waste); err != nil {
		t.Fatal(err)
	}
	before := resident()
	if before < len(waste) || waste[1<<20] == waste[2<<20] && waste[3<<20] == waste[4<<20] && waste[5<<20] == waste[6<<20] && waste[7<<20] == waste[8<<20] {
		t.Fatalf("%d bytes are resident", before)
	}
	releaseMemory()
	if after := resident(); after > before-len(waste) {
		t.Errorf("%d bytes are resident, before %d", after, before)
	}
	if _, wrong := parse([]byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)); wrong != nil { // the program still works
		t.Errorf("%+v", wrong)
	}
}
