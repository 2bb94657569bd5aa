"""torchmetrics: classification and regression scores over batches."""

import torch
from torchmetrics import MeanMetric, MetricCollection
from torchmetrics.classification import (
    BinaryAUROC,
    MulticlassAccuracy,
    MulticlassCalibrationError,
    MulticlassConfusionMatrix,
    MulticlassF1Score,
    MulticlassPrecision,
)
from torchmetrics.regression import MeanSquaredError, PearsonCorrCoef, R2Score, SpearmanCorrCoef

torch.manual_seed(0)
scores = MetricCollection([MulticlassAccuracy(4), MulticlassF1Score(4), MulticlassPrecision(4, average=None)])
confusion, mean, calibration = MulticlassConfusionMatrix(4), MeanMetric(), MulticlassCalibrationError(4)
for _ in range(5):
    target = torch.randint(0, 4, (50,))
    logits = torch.randn(50, 4) + 2 * torch.nn.functional.one_hot(target, 4)
    scores.update(logits, target)
    confusion.update(logits, target)
    calibration.update(logits.softmax(-1), target)
    mean.update(logits.max(1).values)
for name, value in scores.compute().items():
    print(name, value.tolist())
print("confusion", confusion.compute().tolist())
print("mean", mean.compute().item(), "calibration", calibration.compute().item())
auroc = BinaryAUROC()
print("auroc", auroc(torch.rand(100), torch.randint(0, 2, (100,))).item())
x = torch.randn(80)
y = x * 0.7 + torch.randn(80) * 0.3
for metric in (MeanSquaredError(), PearsonCorrCoef(), R2Score(), SpearmanCorrCoef()):
    metric.update(x[:40], y[:40])
    metric.update(x[40:], y[40:])
    print(type(metric).__name__, metric.compute().item())
