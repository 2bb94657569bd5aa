// Threads that share one loop. They sleep while there is nothing to do; nobody waits in a loop for longer than 40 us.
#pragma once

#include <cstddef>
#include <functional>

namespace rushlight {

// At most so many threads from now on, the caller's own among them.
void set_threads(std::size_t count);
std::size_t threads();

// Calls work(from, to) for parts of 0 .. count that begin at multiples of `step`, on the caller's thread and on others where there
// is enough to do: `cost` is that of one of them, about a nanosecond each. Parts may be of any size: work must not depend on it.
void share(std::size_t count, std::size_t step, double cost, const std::function<void(std::size_t, std::size_t)> &work);

}  // namespace rushlight
