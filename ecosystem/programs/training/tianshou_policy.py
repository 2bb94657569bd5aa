"""tianshou: batches, replay buffers, and networks of its own that learn a value and a policy from a small world."""

import warnings

import gymnasium as gym
import numpy as np
import torch
from tianshou.data import Batch, ReplayBuffer, to_torch
from tianshou.utils.net.common import MLP, Net
from tianshou.utils.net.discrete import DiscreteActor, DiscreteCritic

warnings.simplefilter("ignore")
torch.manual_seed(0)
np.random.seed(0)
world = gym.make("CartPole-v1")
buffer = ReplayBuffer(size=256)
seen, _ = world.reset(seed=1)
for step in range(200):
    act = (step // 3) % 2
    following, reward, terminated, truncated, _ = world.step(act)
    buffer.add(Batch(obs=seen, act=act, rew=reward, terminated=terminated, truncated=truncated, obs_next=following, info={}))
    seen = following if not (terminated or truncated) else world.reset(seed=step)[0]
print(len(buffer), round(float(buffer.obs.sum()), 4), int(buffer.done.sum()))

body = Net(state_shape=4, hidden_sizes=[16, 16])
actor = DiscreteActor(preprocess_net=body, action_shape=2, softmax_output=False)
critic = DiscreteCritic(preprocess_net=body)
values = MLP(input_dim=4, output_dim=2, hidden_sizes=[32])
goal = MLP(input_dim=4, output_dim=2, hidden_sizes=[32])
goal.load_state_dict(values.state_dict())
optimizer = torch.optim.Adam(values.parameters(), lr=0.01)
for _ in range(5):
    batch, _ = buffer.sample(64)
    with torch.no_grad():
        best = goal(to_torch(batch.obs_next, dtype=torch.float32)).max(1).values
        target = torch.as_tensor(batch.rew, dtype=torch.float32) + 0.9 * best * ~torch.as_tensor(batch.terminated)
    found = values(to_torch(batch.obs, dtype=torch.float32)).gather(1, torch.as_tensor(batch.act).reshape(-1, 1))[:, 0]
    loss = torch.nn.functional.smooth_l1_loss(found, target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"{loss.item():.5f}")

together = torch.optim.Adam(dict.fromkeys([*actor.parameters(), *critic.parameters()]), lr=0.01)
for _ in range(3):
    batch, _ = buffer.sample(32)
    logits, _ = actor(batch.obs)
    chosen = torch.distributions.Categorical(logits=logits)
    worth = critic(batch.obs)[:, 0]
    gain = torch.as_tensor(batch.rew, dtype=torch.float32) - worth
    loss = gain.pow(2).mean() - (chosen.log_prob(torch.as_tensor(batch.act)) * gain.detach()).mean()
    loss = loss - 0.01 * chosen.entropy().mean()
    together.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(actor.parameters(), 0.5)
    together.step()
    print(f"{loss.item():.5f} {worth.mean().item():.5f}")
joined = Batch.stack([Batch(a=torch.ones(2), b=Batch(c=torch.arange(3.0))), Batch(a=torch.zeros(2), b=Batch(c=torch.ones(3)))])
print(joined.shape, joined.b.c.tolist(), joined.a.sum().item())
