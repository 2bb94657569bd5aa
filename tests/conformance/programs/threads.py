"""Four threads of forward and backward: own graphs, shared leaves, and a grad mode for each."""

import threading

import torch


def run_all(*workers):
    threads = [threading.Thread(target=worker) for worker in workers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


results = {}


def own_graph(k):
    def work():
        w = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
        for _ in range(50):
            y = w * k
            for _ in range(5):
                y = y + w
            y.sum().backward()
        results[k] = w.grad.tolist()

    return work


run_all(*(own_graph(k) for k in range(4)))
print(dict(sorted(results.items())))

# one leaf, a graph in each thread, the gradients taken with autograd.grad
shared = torch.tensor([1.0, -2.0], requires_grad=True)
collected = {}


def on_shared(k):
    def work():
        for _ in range(50):
            (g,) = torch.autograd.grad((shared**2 * k).sum(), shared)
        collected[k] = g.tolist()

    return work


run_all(*(on_shared(k) for k in range(1, 5)))
print(dict(sorted(collected.items())), shared.grad)

# grad mode belongs to a thread
modes = {}
inside, checked = threading.Event(), threading.Event()


def without():
    with torch.no_grad():
        inside.set()
        checked.wait(10)
        modes["without"] = torch.is_grad_enabled()


def beside():
    inside.wait(10)
    modes["beside"] = torch.is_grad_enabled(), (shared * 2).requires_grad
    checked.set()


run_all(without, beside)
print(sorted(modes.items()), torch.is_grad_enabled())
with torch.no_grad():
    run_all(lambda: modes.update(new_thread=torch.is_grad_enabled()))
print(modes["new_thread"])

# a forward here, a backward there
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = (x.exp() * 0 + x * 3).sum()
run_all(y.backward)
print(x.grad)

# an error in one thread leaves the others alone
outcomes = []


def fails():
    try:
        y.backward()
    except RuntimeError as error:
        outcomes.append(type(error).__name__)


def succeeds():
    z = torch.ones(2, requires_grad=True)
    (z * 7).sum().backward()
    outcomes.append(z.grad.tolist())


run_all(fails, succeeds)
print(sorted(outcomes, key=str))
