"""peft: adapters of several kinds on a small Llama, trained, merged, saved and loaded."""

import os
import tempfile
import warnings

import torch

os.environ["TRANSFORMERS_VERBOSITY"] = "error"
warnings.simplefilter("ignore")

from peft import IA3Config, LoraConfig, PeftModel, PrefixTuningConfig, PromptTuningConfig, VeraConfig, get_peft_model  # noqa: E402
from transformers import LlamaConfig, LlamaForCausalLM  # noqa: E402


def base():
    torch.manual_seed(0)
    sizes = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2}
    return LlamaForCausalLM(LlamaConfig(vocab_size=40, num_key_value_heads=2, **sizes))


words = torch.arange(12).reshape(2, 6)
to_queries = {"task_type": "CAUSAL_LM", "target_modules": ["q_proj", "v_proj"]}
for config in (
    LoraConfig(r=4, lora_alpha=8, **to_queries),
    LoraConfig(r=4, use_dora=True, **to_queries),
    IA3Config(task_type="CAUSAL_LM", target_modules=["k_proj", "down_proj"], feedforward_modules=["down_proj"]),
    VeraConfig(r=4, **to_queries),
    PromptTuningConfig(task_type="CAUSAL_LM", num_virtual_tokens=3),
    PrefixTuningConfig(task_type="CAUSAL_LM", num_virtual_tokens=3),
):
    model = base()
    torch.manual_seed(1)
    model = get_peft_model(model, config)
    optimizer = torch.optim.AdamW([one for one in model.parameters() if one.requires_grad], lr=0.05)
    for _ in range(3):
        optimizer.zero_grad()
        loss = model(input_ids=words, labels=words).loss
        loss.backward()
        optimizer.step()
    print(type(config).__name__, f"{loss.item():.4f}", model.get_nb_trainable_parameters())
    folder = tempfile.mkdtemp()
    model.save_pretrained(folder)
    again = PeftModel.from_pretrained(base(), folder).eval()
    logits = model.eval()(input_ids=words).logits
    print(torch.allclose(again(input_ids=words).logits, logits, atol=1e-5), sorted(os.listdir(folder)))
    if isinstance(config, LoraConfig):
        print(torch.allclose(model.merge_and_unload()(input_ids=words).logits, logits, atol=1e-4))
