#include "pool.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>

#if !defined(_WIN32)
#include <pthread.h>
#endif

namespace rushlight {
namespace {

constexpr double WORTH = 1e5;  // nanoseconds of work for each thread: one takes 30 us to wake
constexpr std::size_t PARTS = 4;  // for each thread: one that wakes late, or has its processor taken, leaves them to the others

struct Job {
    const std::function<void(std::size_t, std::size_t)> *work;
    std::size_t count, part;
    std::atomic<std::size_t> next{0};

    void help() {
        for (;;) {
            std::size_t from = next.fetch_add(part);
            if (from >= count) return;
            (*work)(from, std::min(count, from + part));
        }
    }
};

// Never destroyed: its threads may be asleep in it when the process ends.
struct Pool {
    std::mutex busy;   // held by the caller that has the threads
    std::mutex state;  // of what stands below
    std::condition_variable begun, ended;
    Job *job = nullptr;
    std::size_t started = 0, wanted = 0, inside = 0;

    void serve() {
        std::unique_lock<std::mutex> lock(state);
        for (;;) {
            begun.wait(lock, [&] { return job && wanted; });
            Job *mine = job;
            wanted--;
            inside++;
            lock.unlock();
            mine->help();
            lock.lock();
            if (!--inside) ended.notify_one();
        }
    }

    void run(Job &one, std::size_t helpers) {
        {
            std::lock_guard<std::mutex> lock(state);
            try {
                for (; started < helpers; started++) std::thread([this] { serve(); }).detach();
            } catch (const std::system_error &) {  // no more threads to be had: those that there are do it
            }
            job = &one;
            wanted = std::min(helpers, started);
        }
        begun.notify_all();
        one.help();
        std::unique_lock<std::mutex> lock(state);
        job = nullptr;  // who has not woken yet need not
        wanted = 0;
        ended.wait(lock, [&] { return !inside; });
    }
};

std::atomic<std::size_t> limit{1};

Pool *made() {
    static Pool *pool = new Pool;
    return pool;
}

#if !defined(_WIN32)
// A fork takes one thread along: the child begins with a pool of none, once no job is under way in the parent.
void before_fork() {
    made()->busy.lock();
    made()->state.lock();
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
    double worth = static_cast<double>(count) * cost / WORTH;
    std::size_t steps = (count + step - 1) / step, most = std::min<std::size_t>(limit, steps);
    if (worth < static_cast<double>(most)) most = static_cast<std::size_t>(worth);
    Pool *pool = most > 1 ? made() : nullptr;
    if (!pool || !pool->busy.try_lock()) {  // another caller's: this one does it alone
        work(0, count);
        return;
    }
    std::lock_guard<std::mutex> lock(pool->busy, std::adopt_lock);
    Job job;
    job.work = &work;
    job.count = count;
    job.part = (steps + most * PARTS - 1) / (most * PARTS) * step;
    pool->run(job, most - 1);
}

}  // namespace rushlight
