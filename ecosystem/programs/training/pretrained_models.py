"""transformers: models saved and loaded again, which are made on the meta device first; accelerate: models too large to be made."""

import os
import tempfile

os.environ["HF_HUB_OFFLINE"] = "1"

import torch
import transformers
from accelerate import init_empty_weights, load_checkpoint_and_dispatch
from accelerate.utils import compute_module_sizes
from safetensors.torch import save_file
from transformers import GPT2Config, GPT2LMHeadModel, LlamaConfig, LlamaForCausalLM, T5Config, T5ForConditionalGeneration

transformers.logging.set_verbosity_error()
transformers.utils.logging.disable_progress_bar()
torch.manual_seed(0)
ids = torch.arange(8).reshape(1, 8)
small = {"vocab_size": 50, "hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}
gpt2 = GPT2Config(vocab_size=50, n_embd=16, n_layer=2, n_head=2, n_positions=16, bos_token_id=0, eos_token_id=1)
t5 = T5Config(vocab_size=50, d_model=16, d_kv=8, d_ff=32, num_layers=2, num_heads=2, decoder_start_token_id=0)
for cls, config, arguments in (
    (GPT2LMHeadModel, gpt2, {"input_ids": ids}),
    (LlamaForCausalLM, LlamaConfig(**small), {"input_ids": ids}),
    (T5ForConditionalGeneration, t5, {"input_ids": ids, "decoder_input_ids": ids}),
):
    model = cls(config).eval()
    with tempfile.TemporaryDirectory() as folder:
        model.save_pretrained(folder)
        loaded = cls.from_pretrained(folder).eval()
        halved = cls.from_pretrained(folder, dtype=torch.float16)
    with torch.no_grad():
        before, after = model(**arguments).logits, loaded(**arguments).logits
    print(cls.__name__, torch.equal(before, after), tuple(after.shape), f"{after.double().sum().item():.4f}")
    print({p.device.type for p in loaded.parameters()}, next(halved.parameters()).dtype)

with init_empty_weights():
    large = LlamaForCausalLM(LlamaConfig(vocab_size=32000, hidden_size=4096, num_hidden_layers=2, intermediate_size=11008))
print(sum(p.numel() for p in large.parameters()), {p.device.type for p in large.parameters()})
print(compute_module_sizes(large)[""], large.get_memory_footprint())


def layers():
    return torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 2))


source = layers()
with init_empty_weights():
    empty = layers()
with tempfile.TemporaryDirectory() as folder:
    save_file(source.state_dict(), f"{folder}/model.safetensors", metadata={"format": "pt"})
    filled = load_checkpoint_and_dispatch(empty, f"{folder}/model.safetensors", device_map={"": "cpu"})
print(torch.equal(filled(torch.ones(1, 4)), source(torch.ones(1, 4))))
with torch.device("meta"):
    shape_of = layers()(torch.randn(5, 4))
print(shape_of.shape, shape_of.device)
