"""diffusers: a small UNet learns to take noise out, a VAE, and pictures drawn by several schedulers."""

import torch
from diffusers import (
    AutoencoderKL,
    DDIMPipeline,
    DDIMScheduler,
    DDPMScheduler,
    DPMSolverMultistepScheduler,
    EulerDiscreteScheduler,
    UNet2DModel,
)
from diffusers.optimization import get_cosine_schedule_with_warmup
from diffusers.training_utils import EMAModel

torch.manual_seed(0)
kinds = {"down_block_types": ("DownBlock2D", "AttnDownBlock2D"), "up_block_types": ("AttnUpBlock2D", "UpBlock2D")}
model = UNet2DModel(8, 3, 3, block_out_channels=(8, 16), layers_per_block=1, norm_num_groups=4, attention_head_dim=4, **kinds)
noising = DDPMScheduler(num_train_timesteps=50)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
schedule = get_cosine_schedule_with_warmup(optimizer, 1, 4)
average = EMAModel(model.parameters(), decay=0.9)
clean = torch.randn(4, 3, 8, 8)
for _ in range(3):
    noise, steps = torch.randn_like(clean), torch.randint(0, 50, (4,))
    loss = torch.nn.functional.mse_loss(model(noising.add_noise(clean, noise, steps), steps).sample, noise)
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    schedule.step()
    average.step(model.parameters())
    print(f"{loss.item():.4f} {schedule.get_last_lr()[0]:.6f}")
average.copy_to(model.parameters())
for scheduler in (DDIMScheduler(50), DPMSolverMultistepScheduler(50), EulerDiscreteScheduler(50)):
    scheduler.set_timesteps(4)
    drawn = torch.randn(1, 3, 8, 8, generator=torch.Generator().manual_seed(1)) * scheduler.init_noise_sigma
    with torch.no_grad():
        for step in scheduler.timesteps:
            drawn = scheduler.step(model(scheduler.scale_model_input(drawn, step), step).sample, step, drawn).prev_sample
    print(type(scheduler).__name__, f"{drawn.mean().item():.4f} {drawn.std().item():.4f}")
pipeline = DDIMPipeline(model, DDIMScheduler(50))
pipeline.set_progress_bar_config(disable=True)
picture = pipeline(generator=torch.Generator().manual_seed(2), num_inference_steps=3, output_type="np").images
print(picture.shape, f"{picture.mean():.4f}")
coder = AutoencoderKL(block_out_channels=(8,), norm_num_groups=4, latent_channels=2)
spread = coder.encode(clean).latent_dist
(coder.decode(spread.mode()).sample.sub(clean).square().mean() + 1e-3 * spread.kl().mean()).backward()
print(f"{spread.kl().mean().item():.4f} {sum(one.grad.abs().sum().item() for one in coder.parameters()):.2f}")
