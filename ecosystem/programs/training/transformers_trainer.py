"""transformers' Trainer: a small BERT trained with accumulation, a schedule and evaluation, then from its own checkpoint."""

import os
import tempfile
import warnings

import torch

os.environ["TRANSFORMERS_VERBOSITY"] = "error"
warnings.simplefilter("ignore")

from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments, set_seed  # noqa: E402

set_seed(0)
sizes = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2}
model = BertForSequenceClassification(
    BertConfig(vocab_size=30, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0, **sizes)
)
rows = [{"input_ids": torch.randint(0, 30, (5,)), "labels": torch.tensor(i % 2)} for i in range(24)]
folder = tempfile.mkdtemp()
options = TrainingArguments(
    folder,
    num_train_epochs=2,
    per_device_train_batch_size=4,
    gradient_accumulation_steps=2,
    learning_rate=5e-3,
    warmup_steps=2,
    lr_scheduler_type="cosine",
    weight_decay=0.01,
    eval_strategy="epoch",
    save_strategy="epoch",
    logging_steps=1,
    report_to=[],
    disable_tqdm=True,
    use_cpu=True,
)


def accuracy(outcome):
    return {"accuracy": float((outcome.predictions.argmax(-1) == outcome.label_ids).mean())}


trainer = Trainer(model, options, train_dataset=rows[:16], eval_dataset=rows[16:], compute_metrics=accuracy)
import contextlib  # noqa: E402
import io  # noqa: E402

with contextlib.redirect_stdout(io.StringIO()):
    trainer.train()
for entry in trainer.state.log_history:
    print(
        {
            key: f"{value:.5f}"
            for key, value in entry.items()
            if key in ("loss", "eval_loss", "grad_norm", "learning_rate", "eval_accuracy")
        }
    )
print(sorted(os.listdir(folder)), trainer.state.global_step)
options.num_train_epochs = 3
again = Trainer(model, options, train_dataset=rows[:16], eval_dataset=rows[16:])
with contextlib.redirect_stdout(io.StringIO()):
    outcome = again.train(resume_from_checkpoint=True)
print(outcome.global_step, f"{again.state.log_history[-2]['eval_loss']:.4f}")
