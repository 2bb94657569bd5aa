"""transformers: GPT-2, Llama, BERT and ViT, made small: losses, gradients and what the first two write."""

import os
import warnings

import torch

os.environ["TRANSFORMERS_VERBOSITY"] = "error"
warnings.simplefilter("ignore")

from transformers import (  # noqa: E402
    BertConfig,
    BertForSequenceClassification,
    GPT2Config,
    GPT2LMHeadModel,
    LlamaConfig,
    LlamaForCausalLM,
    ViTConfig,
    ViTForImageClassification,
)

layers = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2}
torch.manual_seed(0)
words = torch.randint(0, 50, (2, 8))
labels = torch.tensor([0, 1])
for make, inputs in (
    (lambda: GPT2LMHeadModel(GPT2Config(vocab_size=50, n_positions=16, n_embd=16, n_layer=2, n_head=2)), words),
    (lambda: LlamaForCausalLM(LlamaConfig(vocab_size=50, num_key_value_heads=1, **layers)), words),
    (lambda: BertForSequenceClassification(BertConfig(vocab_size=50, **layers)), words),
    (lambda: ViTForImageClassification(ViTConfig(image_size=8, patch_size=4, **layers)), torch.randn(2, 3, 8, 8)),
):
    torch.manual_seed(1)
    model = make()
    writes = hasattr(model, "generate") and hasattr(model, "lm_head")
    out = model(inputs, labels=inputs if writes else labels)
    out.loss.backward()
    gradients = sum(parameter.grad.abs().sum() for parameter in model.parameters() if parameter.grad is not None)
    print(type(model).__name__, out.loss, out.logits.shape, f"{gradients.item():.2f}")
    if writes:
        print(model.eval().generate(words[:, :3], max_new_tokens=5, do_sample=False, pad_token_id=0))
