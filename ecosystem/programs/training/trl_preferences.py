"""trl: a small model trained on sentences (SFT) and on preferences (DPO)."""

import contextlib
import io
import os
import tempfile
import warnings

import torch

os.environ["TRANSFORMERS_VERBOSITY"] = "error"
warnings.simplefilter("ignore")

from datasets import Dataset  # noqa: E402
from tokenizers import Tokenizer, models, pre_tokenizers  # noqa: E402
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast  # noqa: E402
from trl import DPOConfig, DPOTrainer, SFTConfig, SFTTrainer  # noqa: E402

names = ["<pad>", "<eos>", "<unk>", *"the a cat dog sat ran on mat far away and then it".split()]
inner = Tokenizer(models.WordLevel({name: i for i, name in enumerate(names)}, unk_token="<unk>"))
inner.pre_tokenizer = pre_tokenizers.Whitespace()
tokenizer = PreTrainedTokenizerFast(tokenizer_object=inner, pad_token="<pad>", eos_token="<eos>", unk_token="<unk>")
sizes = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "num_key_value_heads": 2}


def model():
    torch.manual_seed(0)
    return LlamaForCausalLM(LlamaConfig(vocab_size=len(names), pad_token_id=0, eos_token_id=1, bos_token_id=None, **sizes))


common = {
    "per_device_train_batch_size": 2,
    "num_train_epochs": 1,
    "logging_steps": 1,
    "learning_rate": 1e-2,
    "report_to": [],
    "use_cpu": True,
}
common |= {"disable_tqdm": True, "save_strategy": "no", "bf16": False, "gradient_checkpointing": False}
sentences = Dataset.from_dict(
    {"text": ["the cat sat on the mat", "a dog ran far away", "the dog sat and then it ran", "a cat ran"]}
)
pairs = Dataset.from_dict(
    {
        "prompt": ["the cat", "a dog"] * 2,
        "chosen": [" sat on the mat", " ran far away"] * 2,
        "rejected": [" ran", " and it"] * 2,
    }
)
shown = ("loss", "rewards/margins", "grad_norm", "mean_token_accuracy")
for make, config, rows in ((SFTTrainer, SFTConfig, sentences), (DPOTrainer, DPOConfig, pairs)):
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        beside = {"ref_model": model()} if make is DPOTrainer else {}
        options = {"args": config(tempfile.mkdtemp(), **common), "train_dataset": rows, "processing_class": tokenizer}
        trainer = make(model(), **options, **beside)
        trainer.train()
    for entry in trainer.state.log_history[:-1]:
        print(make.__name__, {key: f"{entry[key]:.4f}" for key in shown if key in entry})
