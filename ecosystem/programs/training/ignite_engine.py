"""pytorch-ignite: an engine with events and metrics trains a network."""

import torch
from ignite.engine import Events, create_supervised_evaluator, create_supervised_trainer
from ignite.metrics import Accuracy, Loss, RunningAverage
from torch import nn

torch.manual_seed(0)
x = torch.randn(64, 5)
y = (x.sum(1) > 0).long()
batches = list(zip(x.split(16), y.split(16)))
model = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 2))
optimizer, criterion = torch.optim.SGD(model.parameters(), lr=0.5), nn.CrossEntropyLoss()
trainer = create_supervised_trainer(model, optimizer, criterion)
evaluator = create_supervised_evaluator(model, metrics={"accuracy": Accuracy(), "loss": Loss(criterion)})
RunningAverage(output_transform=lambda output: output).attach(trainer, "average")


@trainer.on(Events.EPOCH_COMPLETED)
def show(engine):
    evaluator.run(batches)
    print(
        engine.state.epoch,
        engine.state.metrics["average"],
        evaluator.state.metrics["accuracy"],
        evaluator.state.metrics["loss"],
    )


trainer.run(batches, max_epochs=5)
