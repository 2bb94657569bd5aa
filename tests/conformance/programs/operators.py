"""Operators: straight, reflected, in place; comparisons; bits; how numbers and tensors meet."""

import torch

a = torch.tensor([1.0, 2.0, 4.0])
b = torch.tensor([2.0, 2.0, 0.5])
i = torch.tensor([6, -7, 8])
j = torch.tensor([4, 2, -3])
t = torch.tensor([True, True, False])
u = torch.tensor([True, False, False])
forms = """
a + b; a - b; a * b; a / b; a // b; a % b; a ** b; -a; +a; abs(-a); a @ b; 1 + a; 1 - a; 2 * a; 8 / a; 5 // a; 5 % a; 2 ** a; a + 1; a - 1
a * 2; a / 2; a // 2; a % 2; a ** 2; a ** 0.5; i + j; i - j; i * j; i / j; i // j; i % j; i ** 2; -i; 7 // j; 7 % j; i // 2; i % 3; i / 2
i & j; i | j; i ^ j; ~i; i << 1; i >> 1; 1 << torch.arange(3); i & 3; t & u; t | u; t ^ u; ~t; t + u; t * u; t == u; t != u
a == b; a != b; a < b; a <= b; a > b; a >= b; a == 2; a > 1; 1 < a; 2 >= a; i == 6.0; a.eq(b); a.ne(2); a.lt(b); a.le(2); a.gt(b); a.ge(2)
a.equal(b); torch.equal(a, a.clone()); torch.allclose(a, a + 1e-9); torch.isclose(a, b); a.greater(b); a.less_equal(b); a.not_equal(1)
a.add(b); a.add(b, alpha=2); a.sub(b, alpha=0.5); a.mul(b); a.div(b); a.div(b, rounding_mode="floor"); a.div(b, rounding_mode="trunc")
i.div(j, rounding_mode="trunc"); i.div(j, rounding_mode="floor"); torch.true_divide(i, j); torch.floor_divide(i, j); i.remainder(j); i.fmod(j)
torch.rsub(a, b); a.pow(2); torch.pow(2, a); torch.pow(a, b); a.float_power(2); a.neg(); a.negative(); a.positive(); a.square()
torch.logical_and(t, u); torch.logical_or(t, u); t.logical_xor(u); t.logical_not(); a.logical_not(); torch.bitwise_and(i, j); i.bitwise_not()
torch.add(a, 1); torch.add(1, a); torch.mul(a, 3); torch.sub(10, a); torch.maximum(a, b); torch.minimum(i, j); a.fmax(b); torch.gcd(i, j)
torch.tensor(5) + 2; torch.tensor(5) / 2; 2.5 * torch.tensor(2); torch.tensor(7) // 2; torch.tensor(True) + 1; torch.tensor(2) ** -1.0
"""
for line in forms.strip().splitlines():
    for form in line.split("; "):
        print(f"{form} = {eval(form)}")

x = torch.tensor([1.0, 2.0, 3.0])
same = x
x += 1
x *= torch.tensor([1.0, 2.0, 3.0])
x -= 0.5
x /= 2
x **= 2
x //= 1
x %= 5
print(x, same is x)
k = torch.tensor([5, 6])
k &= 4
k |= 1
k ^= 3
k <<= 2
k >>= 1
k //= 2
print(k)
m = torch.tensor([True, False])
m &= torch.tensor([True, True])
m |= True
print(m)
n = torch.tensor([1, 2])
n += True
n *= 3
print(n)
for action in (
    lambda: n.__itruediv__(2),
    lambda: t - u,
    lambda: -t,
    lambda: a & b,
    lambda: torch.tensor([2]) ** -1,
    lambda: i // 0,
    lambda: a + "b",
    lambda: a @ 2,
    lambda: "s" * a,
    lambda: [1, 2] + a,
    lambda: bool(a == b),
    lambda: a < "b",
):
    try:
        print(action())
    except Exception as error:
        print(type(error).__name__, str(error))
print(a / 0, -a / 0, torch.tensor([0.0]) / 0, torch.tensor([5.0]) % 0, torch.tensor([1]) / torch.tensor([0]))
print(a == None, a != None, a is not None, a in [a])  # noqa: E711
