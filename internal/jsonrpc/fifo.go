package jsonrpc

// fifo is a queue that reuses its memory, and gives back what a burst needed. The
// zero value is empty.
type fifo[T any] struct {
	items []T
	head  int
}

func (f *fifo[T]) len() int { return len(f.items) - f.head }

func (f *fifo[T]) push(item T) {
	if len(f.items) == cap(f.items) && 2*f.head > len(f.items) {
		n := copy(f.items, f.items[f.head:])
		clear(f.items[n:])
		f.items, f.head = f.items[:n], 0
	}
	f.items = append(f.items, item)
}

// pop must not be called on an empty queue.
func (f *fifo[T]) pop() T {
	var none T
	item := f.items[f.head]
	f.items[f.head] = none
	if f.head++; f.head == len(f.items) {
		f.reset()
	}
	return item
}

// keepItems is the room that an empty queue keeps.
const keepItems = 64

func (f *fifo[T]) reset() {
	if cap(f.items) > keepItems {
		f.items = nil
	}
	f.items, f.head = f.items[:0], 0
}

// remove takes out the first item that is says yes to.
func (f *fifo[T]) remove(is func(T) bool) bool {
	for i := f.head; i < len(f.items); i++ {
		if is(f.items[i]) {
			copy(f.items[i:], f.items[i+1:])
			last := len(f.items) - 1
			clear(f.items[last:])
			f.items = f.items[:last]
			return true
		}
	}
	return false
}
