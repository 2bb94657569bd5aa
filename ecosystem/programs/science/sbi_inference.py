"""sbi: densities of parameters given observations, learned from simulations, and samples of them."""

import contextlib
import io
import logging
import os
import tempfile
import warnings

import torch

warnings.simplefilter("ignore")
logging.disable(logging.WARNING)
from sbi.inference import NLE, NPE, NRE  # noqa: E402
from sbi.neural_nets import likelihood_nn, posterior_nn  # noqa: E402
from sbi.utils import BoxUniform  # noqa: E402

os.chdir(tempfile.mkdtemp())  # its logs are written where it runs
torch.manual_seed(0)
prior = BoxUniform(-2 * torch.ones(2), 2 * torch.ones(2))
theta = prior.sample((80,))
x = theta + 0.3 * torch.randn_like(theta)
seen = torch.tensor([[0.5, -0.4]])
for name, trainer in (
    ("maf", NPE(prior, density_estimator=posterior_nn("maf", hidden_features=8, num_transforms=2))),
    ("nsf", NPE(prior, density_estimator=posterior_nn("nsf", hidden_features=8, num_transforms=1))),
    ("mdn", NPE(prior, density_estimator=posterior_nn("mdn", hidden_features=8, num_components=3))),
    ("ratio", NRE(prior)),
    ("likelihood", NLE(prior, density_estimator=likelihood_nn("maf", hidden_features=8, num_transforms=2))),
):
    torch.manual_seed(1)
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        estimator = trainer.append_simulations(theta, x).train(training_batch_size=20, max_num_epochs=3)
    summary = trainer.summary
    print(name, [round(one, 3) for one in summary["validation_loss"]])
    if name in ("maf", "mdn"):
        posterior = trainer.build_posterior(estimator)
        torch.manual_seed(2)
        drawn = posterior.sample((50,), x=seen, show_progress_bars=False)
        print(drawn.mean(0), posterior.log_prob(theta[:3], x=seen))
