"""GPyTorch: a Gaussian process fitted to a noisy sine, what it predicts, and kernels with their gradients."""

import math

import gpytorch
import torch

torch.manual_seed(0)
x = torch.linspace(0, 1, 30)
y = torch.sin(2 * math.pi * x) + 0.1 * torch.randn(30)


class Process(gpytorch.models.ExactGP):
    def __init__(self, likelihood):
        super().__init__(x, y, likelihood)
        self.mean = gpytorch.means.ConstantMean()
        self.covariance = gpytorch.kernels.ScaleKernel(gpytorch.kernels.RBFKernel())

    def forward(self, x):
        return gpytorch.distributions.MultivariateNormal(self.mean(x), self.covariance(x))


likelihood = gpytorch.likelihoods.GaussianLikelihood()
model = Process(likelihood)
optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
marginal = gpytorch.mlls.ExactMarginalLogLikelihood(likelihood, model)
for step in range(20):
    optimizer.zero_grad()
    loss = -marginal(model(x), y)
    loss.backward()
    optimizer.step()
    print(
        step, f"{loss.item():.4f}", f"{model.covariance.base_kernel.lengthscale.item():.4f}", f"{likelihood.noise.item():.4f}"
    )

model.eval()
likelihood.eval()
with torch.no_grad(), gpytorch.settings.fast_pred_var():
    predicted = likelihood(model(torch.linspace(0, 1, 7)))
    print(predicted.mean, predicted.variance, predicted.confidence_region())

for kernel in (
    gpytorch.kernels.MaternKernel(nu=1.5),
    gpytorch.kernels.PeriodicKernel(),
    gpytorch.kernels.RQKernel(),
    gpytorch.kernels.PolynomialKernel(2),
    gpytorch.kernels.RBFKernel() + gpytorch.kernels.MaternKernel(2.5),
):
    matrix = kernel(x[:4].unsqueeze(-1)).to_dense()
    matrix.sum().backward()
    print(type(kernel).__name__, matrix, [parameter.grad for parameter in kernel.parameters()])
print(model)
