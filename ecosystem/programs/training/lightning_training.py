"""lightning: a module trained and validated by the Trainer, with torchvision present, a checkpoint and loading it again."""

import logging
import tempfile
import warnings

import torch

warnings.simplefilter("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
import lightning  # noqa: E402
from torchmetrics.classification import MulticlassAccuracy  # noqa: E402


class Classifier(lightning.LightningModule):
    def __init__(self, width: int = 8):
        super().__init__()
        self.save_hyperparameters()
        self.body = torch.nn.Sequential(torch.nn.Linear(4, width), torch.nn.Tanh(), torch.nn.Linear(width, 3))
        self.accuracy = MulticlassAccuracy(3)

    def training_step(self, batch, index):
        loss = torch.nn.functional.cross_entropy(self.body(batch[0]), batch[1])
        self.log("loss", loss, on_epoch=True, on_step=False)
        return loss

    def validation_step(self, batch, index):
        self.accuracy(self.body(batch[0]), batch[1])
        self.log("accuracy", self.accuracy)

    def configure_optimizers(self):
        optimizer = torch.optim.Adam(self.parameters(), lr=0.05)
        return [optimizer], [torch.optim.lr_scheduler.StepLR(optimizer, 2, 0.5)]


lightning.seed_everything(0, verbose=False)
x = torch.randn(60, 4)
batches = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, x[:, :3].argmax(1)), batch_size=10)
folder = tempfile.mkdtemp()
model = Classifier()
trainer = lightning.Trainer(
    max_epochs=4,
    accelerator="cpu",
    logger=False,
    enable_progress_bar=False,
    enable_model_summary=False,
    default_root_dir=folder,
    gradient_clip_val=1.0,
    accumulate_grad_batches=2,
)
trainer.fit(model, batches, batches)
print({name: round(value.item(), 4) for name, value in trainer.callback_metrics.items()})
trainer.save_checkpoint(f"{folder}/last.ckpt")
again = Classifier.load_from_checkpoint(f"{folder}/last.ckpt")
print(again.hparams, trainer.optimizers[0].param_groups[0]["lr"], torch.equal(again.body[0].weight, model.body[0].weight))
print(trainer.validate(again, batches, verbose=False))
