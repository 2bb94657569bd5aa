#include "pool.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>

#if !defined(_WIN32)
#include <pthread.h>
#endif
#if defined(__linux__)
#include <sched.h>
#endif

namespace rushlight {
namespace {

// Nanoseconds of work for each thread: one that sleeps takes 30 us to wake, one that has just worked looks for more for a while. Jobs that follow
// one another closely keep it awake.
constexpr double WORTH = 1e5, WORTH_AWAKE = 8e3, WORTH_IN_A_ROW = 1.5e4;
constexpr std::chrono::microseconds AWAKE{40}, IN_A_ROW{100};
constexpr std::size_t SHARES = 64;  // of threads at most
constexpr std::size_t PARTS = 4;  // for each thread: one that wakes late, or has its processor taken, leaves them to the others

// Where the caller runs. While threads of BLAS wait in a loop on all other processors, Linux wakes a thread of ours on the caller's,
// where the two take turns: it then goes to another one that the caller may use, and stays away from this one.
class Caller {
#if defined(__linux__)
    int processor = sched_getcpu();
    cpu_set_t others;

  public:
    Caller() {
        if (processor < 0 || processor >= CPU_SETSIZE || sched_getaffinity(0, sizeof others, &others)) processor = -1;
        else CPU_CLR(static_cast<std::size_t>(processor), &others);
    }
    void make_way() const {
        if (processor >= 0 && sched_getcpu() == processor && CPU_COUNT(&others)) sched_setaffinity(0, sizeof others, &others);
    }
#else
  public:
    void make_way() const {}
#endif
};

// Each thread begins with a share of its own, the same of every job, so that what one job leaves in a processor's cache the next finds there;
// then it helps the others with theirs.
struct Job {
    const std::function<void(std::size_t, std::size_t)> *work;
    std::size_t count, shares, share, part;
    std::atomic<std::size_t> next[SHARES];  // in each share
    Caller caller{};

    Job(const std::function<void(std::size_t, std::size_t)> &given, std::size_t numbers, std::size_t step, std::size_t threads)
        : work(&given), count(numbers), shares(std::min(threads, SHARES)) {
        std::size_t steps = (count + step - 1) / step, own = (steps + shares - 1) / shares;
        share = own * step, part = (own + PARTS - 1) / PARTS * step;
        for (std::size_t i = 0; i < shares; i++) next[i] = 0;
    }
    void help(std::size_t own) {
        for (std::size_t turn = 0; turn < shares; turn++) {
            std::size_t each = (own + turn) % shares, end = std::min(count, (each + 1) * share);
            for (std::size_t from; (from = each * share + next[each].fetch_add(part)) < end;) (*work)(from, std::min(end, from + part));
        }
    }
};

using Clock = std::chrono::steady_clock;

inline void pause() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ __volatile__("yield");
#endif
}

// Whether `is_so` came true while this thread waited in a loop, as long as it stays awake.
template <class F> bool comes_soon(F is_so) {
    for (Clock::time_point end = Clock::now() + AWAKE; !is_so();) {
        for (int turn = 0; turn < 16; turn++) pause();
        if (Clock::now() > end) return false;
    }
    return true;
}

// Never destroyed: its threads may be asleep in it when the process ends.
struct Pool {
    std::mutex busy;   // held by the caller that has the threads
    std::mutex state;  // of what stands below
    std::condition_variable begun, ended, arrived;
    Job *job = nullptr;
    std::size_t started = 0, ready = 0;  // a thread is ready once it waits for jobs
    std::atomic<std::size_t> wanted{0}, inside{0}, awake{0};
    std::atomic<Clock::rep> last{0};  // when a job ended that was worth a thread that is awake

    void serve(std::size_t own) {
        std::unique_lock<std::mutex> lock(state);
        if (++ready == started) arrived.notify_all();
        for (;;) {
            begun.wait(lock, [&] { return job && wanted; });
            do {
                Job *mine = job;
                wanted--;
                inside++;
                lock.unlock();
                mine->caller.make_way();
                mine->help(own);
                lock.lock();
                if (!--inside) ended.notify_one();
                lock.unlock();
                awake++;
                comes_soon([&] { return wanted.load(std::memory_order_relaxed); });
                awake--;
                lock.lock();
            } while (job && wanted);
        }
    }

    void run(Job &one, std::size_t helpers) {
        {
            std::lock_guard<std::mutex> lock(state);
            try {
                for (; started < helpers; started++) std::thread([this, own = started + 1] { serve(own); }).detach();
            } catch (const std::system_error &) {  // no more threads to be had: those that there are do it
            }
            job = &one;
            wanted = std::min(helpers, started);
        }
        if (awake < helpers) begun.notify_all();
        one.help(0);
        std::unique_lock<std::mutex> lock(state);
        job = nullptr;  // who has not woken yet need not
        wanted = 0;
        if (inside) {
            lock.unlock();
            comes_soon([&] { return !inside; });
            lock.lock();
        }
        ended.wait(lock, [&] { return !inside; });
    }

    // How many threads a job of so many nanoseconds is worth.
    std::size_t worth(double work) const {
        if (work >= 2 * WORTH) return static_cast<std::size_t>(work / WORTH);
        if (work < 2 * WORTH_AWAKE) return 1;
        if (std::size_t ready = awake) return std::min(1 + ready, static_cast<std::size_t>(work / WORTH_AWAKE));
        return work >= 2 * WORTH_IN_A_ROW && Clock::now() - Clock::time_point(Clock::duration(last)) < IN_A_ROW ? 2 : 1;
    }
};

std::atomic<std::size_t> limit{1};

Pool *made() {
    static Pool *pool = new Pool;
    return pool;
}

#if !defined(_WIN32)
// A fork takes one thread along: the child begins with a pool of none, once no job is under way in the parent. A thread that is
// only beginning may hold a lock of the C library's, which the child would find taken for ever.
void before_fork() {
    made()->busy.lock();
    std::unique_lock<std::mutex> lock(made()->state);
    made()->arrived.wait(lock, [] { return made()->ready == made()->started; });
    lock.release();
}

void in_parent() {
    made()->state.unlock();
    made()->busy.unlock();
}

void in_child() { new (made()) Pool; }

[[maybe_unused]] const int registered = pthread_atfork(before_fork, in_parent, in_child);
#endif

}  // namespace

void set_threads(std::size_t count) { limit = std::max<std::size_t>(1, count); }

std::size_t threads() { return limit; }

void share(std::size_t count, std::size_t step, double cost, const std::function<void(std::size_t, std::size_t)> &work) {
    std::size_t steps = (count + step - 1) / step, most = std::min<std::size_t>(limit, steps);
    double nanoseconds = static_cast<double>(count) * cost;
    Pool *pool = most > 1 && nanoseconds >= 2 * WORTH_AWAKE ? made() : nullptr;
    if (pool) most = std::min(most, pool->worth(nanoseconds));
    if (pool && most > 1 && pool->busy.try_lock()) {  // where it is another caller's, this one does it alone
        std::lock_guard<std::mutex> lock(pool->busy, std::adopt_lock);
        Job job(work, count, step, most);
        pool->run(job, most - 1);
    } else {
        work(0, count);
    }
    if (pool) pool->last = Clock::now().time_since_epoch().count();
}

}  // namespace rushlight
