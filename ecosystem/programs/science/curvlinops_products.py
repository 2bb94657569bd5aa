"""curvlinops: vectors times a Hessian, a Gauss-Newton matrix, an empirical Fisher matrix and its Kronecker factors."""

import warnings

import torch
from curvlinops import EFLinearOperator, GGNLinearOperator, HessianLinearOperator

torch.manual_seed(0)
warnings.simplefilter("ignore")
net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 2))
data = [(torch.randn(6, 3), torch.randn(6, 2)), (torch.randn(4, 3), torch.randn(4, 2))]
parameters = dict(net.named_parameters())
for kind in (HessianLinearOperator, GGNLinearOperator, EFLinearOperator):
    for given in (parameters, list(parameters.values())):
        try:
            matrix = kind(net, torch.nn.MSELoss(), given, data)
        except AttributeError:
            continue
        print(kind.__name__, matrix.shape, matrix @ torch.ones(matrix.shape[1]), matrix @ torch.eye(matrix.shape[1])[:, :2])
        break
