"""pyro: variational inference, importance, Hamiltonian Monte Carlo and an enumerated mixture."""

import pyro
import pyro.distributions as dist
import torch
from pyro.infer import MCMC, NUTS, SVI, Importance, Predictive, Trace_ELBO, TraceEnum_ELBO
from pyro.infer.autoguide import AutoDelta, AutoLowRankMultivariateNormal, AutoNormal
from pyro.nn import PyroModule, PyroSample

pyro.set_rng_seed(0)
x = torch.randn(30, 2)
y = x @ torch.tensor([1.0, -2.0]) + 0.5 + 0.1 * torch.randn(30)


def line(x, y=None):
    weight = pyro.sample("weight", dist.Normal(torch.zeros(2), 1.0).to_event(1))
    bias, scale = pyro.sample("bias", dist.Normal(0.0, 1.0)), pyro.sample("scale", dist.LogNormal(-1.0, 0.5))
    with pyro.plate("rows", len(x)):
        return pyro.sample("y", dist.Normal(x @ weight + bias, scale), obs=y)


for make in (AutoNormal, AutoDelta, AutoLowRankMultivariateNormal):
    pyro.clear_param_store()
    pyro.set_rng_seed(1)
    guide = make(line)
    svi = SVI(line, guide, pyro.optim.ClippedAdam({"lr": 0.05}), Trace_ELBO())
    print(make.__name__, [round(svi.step(x, y), 2) for _ in range(6)][2::3], guide.median(x)["weight"])
pyro.set_rng_seed(2)
drawn = Predictive(line, guide=guide, num_samples=4)(x[:2])
print(drawn["y"].mean(0), Importance(line, num_samples=20).run(x, y).get_log_normalizer())
pyro.set_rng_seed(3)
chain = MCMC(NUTS(line, max_tree_depth=4), num_samples=8, warmup_steps=8, disable_progbar=True)
chain.run(x, y)
print({name: tuple(one.shape) for name, one in chain.get_samples().items()})


@pyro.infer.config_enumerate
def mixture(data):
    share = pyro.param("share", torch.tensor([0.4, 0.6]), constraint=dist.constraints.simplex)
    middles = pyro.param("middles", torch.tensor([-1.0, 1.0]))
    with pyro.plate("data", len(data)):
        kind = pyro.sample("kind", dist.Categorical(share))
        pyro.sample("seen", dist.Normal(middles[kind], 0.7), obs=data)


pyro.clear_param_store()
learner = SVI(mixture, lambda data: None, pyro.optim.Adam({"lr": 0.05}), TraceEnum_ELBO(max_plate_nesting=1))
print([round(learner.step(y), 3) for _ in range(4)], pyro.param("share"), pyro.param("middles"))


class Net(PyroModule):
    def __init__(self):
        super().__init__()
        self.linear = PyroModule[torch.nn.Linear](2, 1)
        self.linear.weight = PyroSample(dist.Normal(0.0, 1.0).expand([1, 2]).to_event(2))

    def forward(self, x, y=None):
        middle = self.linear(x)[:, 0]
        with pyro.plate("rows", len(x)):
            return pyro.sample("y", dist.Normal(middle, 0.2), obs=y)


pyro.set_rng_seed(4)
print(pyro.poutine.trace(Net()).get_trace(x, y).log_prob_sum())
