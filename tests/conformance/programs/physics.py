"""Small simulations differentiated end to end: a throw, a pendulum, an orbit, an ODE's parameter."""

import torch


def fall(height, speed, steps=16, dt=0.125):
    y, v = height, speed
    for _ in range(steps):
        v = v - 8.0 * dt
        y = y + v * dt
    return y


h = torch.tensor(10.0, requires_grad=True)
v = torch.tensor(4.0, requires_grad=True)
y = fall(h, v)
y.backward()
print(y, h.grad, v.grad)

# the speed that lands on the ground after two seconds, by Newton
speed = torch.tensor(0.0, requires_grad=True)
for step in range(2):
    y = fall(torch.tensor(10.0), speed)
    (slope,) = torch.autograd.grad(y, speed)
    speed = (speed - y / slope).detach().requires_grad_()
    print(step, speed, slope)


def pendulum(length, angle, steps=200, dt=0.01):
    theta, omega = angle, torch.zeros((), dtype=torch.float64)
    for _ in range(steps):
        omega = omega - dt * 9.81 / length * torch.sin(theta)
        theta = theta + dt * omega
    return theta


length = torch.tensor(1.0, dtype=torch.float64, requires_grad=True)
angle = torch.tensor(0.3, dtype=torch.float64, requires_grad=True)
theta = pendulum(length, angle)
theta.backward()
print(f"{theta.item():.5f} {length.grad.item():.5f} {angle.grad.item():.5f}")

# force from energy: the gradient of a potential moves two bodies
position = torch.tensor([[1.0, 0.0], [-1.0, 0.0]], dtype=torch.float64)
velocity = torch.tensor([[0.0, 0.5], [0.0, -0.5]], dtype=torch.float64)


def energy(position):
    return -1.0 / (position[0] - position[1]).norm()


for step in range(100):
    p = position.clone().requires_grad_()
    (force,) = torch.autograd.grad(-energy(p), p)
    velocity += 0.02 * force
    position += 0.02 * velocity
    if step % 25 == 24:
        total = energy(position) + 0.5 * velocity.square().sum()
        print(step, [f"{c:.4f}" for c in position.flatten().tolist()], f"{total.item():.3f}")

# find the rate of decay from data
times = torch.linspace(0, 2, 9, dtype=torch.float64)
data = torch.exp(-0.7 * times)
rate = torch.tensor(0.1, dtype=torch.float64, requires_grad=True)
for step in range(60):
    loss = (torch.exp(-rate * times) - data).square().mean()
    (g,) = torch.autograd.grad(loss, rate)
    with torch.no_grad():
        rate -= 2.0 * g
    if step % 20 == 19:
        print(step, f"{rate.item():.4f} {loss.item():.4f}")

# a beam of light takes the quickest way: Snell's law
x = torch.tensor(0.5, dtype=torch.float64, requires_grad=True)
for _ in range(200):
    time = (1 + x**2).sqrt() / 1.0 + (1 + (2 - x) ** 2).sqrt() / 0.5
    (g,) = torch.autograd.grad(time, x)
    with torch.no_grad():
        x -= 0.2 * g
sine1, sine2 = x / (1 + x**2).sqrt(), (2 - x) / (1 + (2 - x) ** 2).sqrt()
print(f"{x.item():.4f} {(sine1 / sine2).item():.4f}")
