"""fastai: a learner on a table and on pictures of its own, one cycle, mixed-up pictures, frozen layers."""

import warnings

import torch

warnings.simplefilter("ignore")
from fastai.basics import DataLoaders, Learner, accuracy, set_seed  # noqa: E402
from fastai.callback.all import MixUp  # noqa: E402
from fastai.data.core import TfmdDL  # noqa: E402
from fastai.losses import CrossEntropyLossFlat, LabelSmoothingCrossEntropy  # noqa: E402
from fastai.optimizer import Lamb, RMSProp, ranger  # noqa: E402
from fastai.tabular.model import TabularModel  # noqa: E402
from fastai.vision.core import TensorImage  # noqa: E402
from fastai.vision.models.xresnet import xresnet18  # noqa: E402

set_seed(0)
x, y = torch.randn(32, 3, 16, 16), torch.randint(0, 2, (32,))
rows = list(zip(x, y))
loaders = DataLoaders(TfmdDL(rows[:24], bs=8, shuffle=False, num_workers=0), TfmdDL(rows[24:], bs=8, num_workers=0))
for make, loss_of, callbacks in (
    (ranger, CrossEntropyLossFlat(), []),
    (Lamb, LabelSmoothingCrossEntropy(), []),
    (RMSProp, CrossEntropyLossFlat(), [MixUp(0.4)]),
):
    set_seed(1)
    model = torch.nn.Sequential(
        torch.nn.Conv2d(3, 4, 3, bias=False),
        torch.nn.BatchNorm2d(4),
        torch.nn.ReLU(),
        torch.nn.Flatten(),
        torch.nn.Linear(784, 2),
    )
    learner = Learner(loaders, model, loss_of, make, metrics=accuracy, cbs=callbacks)
    with learner.no_bar(), learner.no_logging():
        learner.fit_one_cycle(2, 1e-3)
        print(make.__name__, [[round(one, 4) for one in values] for values in learner.recorder.values])
        learner.freeze()
        learner.fit(1, 1e-3)
        print([round(float(one), 4) for one in learner.validate()], learner.get_preds()[0].sum())
set_seed(2)
net = xresnet18(n_out=2)
loss = torch.nn.functional.cross_entropy(net(x[:4]), y[:4])
loss.backward()
print(f"{loss.item():.4f}")
table = TabularModel([(5, 3), (4, 2)], 2, 1, [8, 4])
out = table(torch.randint(0, 4, (6, 2)), torch.randn(6, 2))
out.sum().backward()
print(out.flatten(), sum(one.grad.abs().sum() for one in table.parameters()))
picture = TensorImage(torch.arange(12.0).reshape(3, 2, 2))
print(type(picture * 2).__name__, (picture * 2).sum(), type(picture[0]).__name__, picture.mean())
