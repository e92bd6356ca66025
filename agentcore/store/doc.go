// Package store is where the agent core keeps its sessions: a header and a log of
// records for each.
//
// [Store] is the seam and [NewMemory] the backend that forgets everything at the
// end of the process. What a record means is the core's affair; a store sees
// bytes. Every backend passes the suite in package storetest.
//
// A session comes to life with Create, which reserves its id, and is durable and
// visible to others from its first Flush. All reading and writing of a log goes
// through its one [Handle]; a second one is refused until the first is closed.
// Stores are safe for concurrent use, and so is each handle.
package store
