"""botorch: surrogates fitted to a few evaluations, acquisition functions and where they are largest."""

import warnings

import torch

warnings.simplefilter("ignore")
from botorch.acquisition import (  # noqa: E402
    LogExpectedImprovement,
    UpperConfidenceBound,
    qLogExpectedImprovement,
    qLogNoisyExpectedImprovement,
)
from botorch.fit import fit_gpytorch_mll  # noqa: E402
from botorch.models import ModelListGP, SingleTaskGP  # noqa: E402
from botorch.models.transforms import Normalize, Standardize  # noqa: E402
from botorch.optim import optimize_acqf  # noqa: E402
from botorch.sampling import SobolQMCNormalSampler  # noqa: E402
from botorch.test_functions import Branin, Hartmann  # noqa: E402
from botorch.utils.multi_objective import Hypervolume, is_non_dominated  # noqa: E402
from gpytorch.mlls import ExactMarginalLogLikelihood, SumMarginalLogLikelihood  # noqa: E402

torch.manual_seed(0)
problem = Branin(negate=True).to(torch.float64)
bounds = problem.bounds
x = bounds[0] + (bounds[1] - bounds[0]) * torch.rand(8, 2, dtype=torch.float64)
y = problem(x).unsqueeze(-1)
model = SingleTaskGP(x, y, input_transform=Normalize(2), outcome_transform=Standardize(1))
fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
print(model.posterior(bounds.mean(0, keepdim=True)).mean.item(), model.covar_module.lengthscale.detach())
sampler = SobolQMCNormalSampler(torch.Size([16]), seed=0)
for acquisition, count in (
    (LogExpectedImprovement(model, y.max()), 1),
    (UpperConfidenceBound(model, 0.2), 1),
    (qLogExpectedImprovement(model, y.max(), sampler), 2),
    (qLogNoisyExpectedImprovement(model, x, sampler, prune_baseline=True), 1),
):
    torch.manual_seed(1)
    at = x[:count].clone().requires_grad_()
    value = acquisition(at + 0.1)
    value.sum().backward()
    print(type(acquisition).__name__, value.item(), at.grad.abs().sum().item())
    found, best = optimize_acqf(acquisition, bounds, count, num_restarts=2, raw_samples=8, options={"seed": 0, "maxiter": 30})
    print(tuple(found.shape), f"{best.item():.2f}")
both = ModelListGP(*(SingleTaskGP(x, one) for one in (y, -x.square().sum(1, keepdim=True))))
print(SumMarginalLogLikelihood(both.likelihood, both)(both.train()(*both.train_inputs), both.train_targets).item())
values = torch.stack([y[:, 0], -x.sum(1)], 1)
print(
    is_non_dominated(values),
    Hypervolume(torch.tensor([-200.0, -30.0], dtype=torch.float64)).compute(values[is_non_dominated(values)]),
)
print(Hartmann(6)(torch.full((1, 6), 0.4)))
