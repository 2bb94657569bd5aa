"""Deep Q-learning on a corridor: replay memory, target network, epsilon that decays, Huber loss, double Q."""

import copy
import random
from collections import deque, namedtuple

import torch
from torch import nn

Step = namedtuple("Step", "state action reward following done")


class Corridor:
    """Walks a corridor of seven places; its right end pays, its left end costs."""

    def reset(self):
        self.place, self.age = 3, 0
        return self.seen()

    def seen(self):
        return torch.nn.functional.one_hot(torch.tensor(self.place), 7).float()

    def step(self, action):
        self.place += 1 if action == 1 else -1
        self.age += 1
        done = self.place in (0, 6) or self.age >= 20
        return self.seen(), {0: -1.0, 6: 1.0}.get(self.place, -0.01), done


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(7, 16), nn.Tanh())
        self.value, self.advantage = nn.Linear(16, 1), nn.Linear(16, 2)

    def forward(self, x):
        x = self.body(x)
        advantage = self.advantage(x)
        return self.value(x) + advantage - advantage.mean(-1, keepdim=True)


random.seed(1)
torch.manual_seed(1)
policy = Net()
target = copy.deepcopy(policy).requires_grad_(False)
optimizer = torch.optim.AdamW(policy.parameters(), lr=5e-3, amsgrad=True)
memory = deque(maxlen=200)
world, epsilon = Corridor(), 1.0
for episode in range(30):
    state, total, losses = world.reset(), 0.0, []
    done = False
    while not done:
        if random.random() < epsilon:
            action = random.randrange(2)
        else:
            with torch.no_grad():
                action = policy(state).argmax().item()
        following, reward, done = world.step(action)
        memory.append(Step(state, action, reward, following, done))
        state, total = following, total + reward
        if len(memory) < 16:
            continue
        batch = Step(*zip(*random.sample(memory, 16)))
        states, followings = torch.stack(batch.state), torch.stack(batch.following)
        actions = torch.tensor(batch.action).unsqueeze(1)
        rewards, over = torch.tensor(batch.reward), torch.tensor(batch.done)
        chosen = policy(states).gather(1, actions).squeeze(1)
        with torch.no_grad():
            best = policy(followings).argmax(1, keepdim=True)
            wanted = rewards + 0.9 * target(followings).gather(1, best).squeeze(1).masked_fill(over, 0.0)
        loss = nn.functional.smooth_l1_loss(chosen, wanted, beta=0.5)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_value_(policy.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
        with torch.no_grad():
            for slow, fast in zip(target.parameters(), policy.parameters()):
                slow.mul_(0.95).add_(fast, alpha=0.05)
    epsilon = max(0.05, epsilon * 0.9)
    if episode % 5 == 4:
        print(episode, f"{total:.2f} {epsilon:.3f} {sum(losses) / max(1, len(losses)):.5f} {len(memory)}")
with torch.no_grad():
    values = policy(torch.eye(7))
print(values.max(1))
print(values.argmax(1).tolist())
