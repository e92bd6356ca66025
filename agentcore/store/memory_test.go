package store_test

import (
	"testing"

	"github.com/acpctl/acpctl/agentcore/store"
	"github.com/acpctl/acpctl/agentcore/store/storetest"
)

func TestAC17_MemoryKeepsTheContract(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(*testing.T) store.Store { return store.NewMemory() })
}
