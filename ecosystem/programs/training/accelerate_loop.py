"""accelerate: a loop with accumulated and clipped gradients, its own state saved and loaded."""

import tempfile

import torch
from accelerate import Accelerator
from accelerate.utils import set_seed

set_seed(0)
accelerator = Accelerator(cpu=True, gradient_accumulation_steps=2)
model = torch.nn.Sequential(torch.nn.Linear(3, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
optimizer = torch.optim.AdamW(model.parameters(), lr=0.02)
schedule = torch.optim.lr_scheduler.LinearLR(optimizer, total_iters=4)
x = torch.randn(24, 3)
loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, x.sum(1, keepdim=True)), batch_size=4, shuffle=True)
model, optimizer, loader, schedule = accelerator.prepare(model, optimizer, loader, schedule)
for epoch in range(2):
    for inputs, target in loader:
        with accelerator.accumulate(model):
            loss = torch.nn.functional.mse_loss(model(inputs), target)
            accelerator.backward(loss)
            if accelerator.sync_gradients:
                accelerator.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            optimizer.zero_grad()
    print(epoch, f"{accelerator.gather_for_metrics(loss.detach()).item():.4f} {schedule.get_last_lr()[0]:.4f}")
folder = tempfile.mkdtemp()
accelerator.save_state(folder)
before = [one.clone() for one in model.parameters()]
with torch.no_grad():
    for one in model.parameters():
        one.zero_()
accelerator.load_state(folder)
print(all(torch.equal(one, other) for one, other in zip(before, model.parameters())), accelerator.num_processes)
