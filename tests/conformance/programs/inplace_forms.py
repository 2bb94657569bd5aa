"""The underscore forms: what each writes, that it returns the same tensor, and its node when recorded."""

import torch

x = torch.tensor([0.25, 0.5, 0.75])
y = torch.tensor([2.0, 3.0, 0.5])
mask = torch.tensor([True, False, True])
forms = """
add_(y); add_(1); add_(y, alpha=2); sub_(y); sub_(0.5); mul_(y); mul_(3); div_(y); div_(4); pow_(2); pow_(y); neg_(); abs_()
exp_(); log_(); sqrt_(); rsqrt_(); sin_(); cos_(); tan_(); tanh_(); sigmoid_(); relu_(); reciprocal_(); square_(); floor_(); ceil_()
round_(); trunc_(); frac_(); sign_(); asin_(); acos_(); atan_(); sinh_(); cosh_(); exp2_(); expm1_(); log1p_(); log2_(); log10_()
erf_(); erfc_(); clamp_(0.3, 0.6); clamp_min_(0.4); clamp_max_(0.4); remainder_(0.4); fmod_(0.4); floor_divide_(0.3); atan2_(y)
fill_(7); zero_(); copy_(y); lerp_(y, 0.5); addcmul_(y, y); addcdiv_(y, y, value=2); masked_fill_(mask, 9); masked_scatter_(mask, y)
index_fill_(0, torch.tensor([1]), 5.0); index_add_(0, torch.tensor([0, 0, 1]), y); index_copy_(0, torch.tensor([2, 1, 0]), y)
scatter_(0, torch.tensor([2, 0]), y); scatter_add_(0, torch.tensor([1, 1, 1]), y); cumsum_(0); cumprod_(0); nan_to_num_(); hypot_(y)
index_put_((torch.tensor([1]),), torch.tensor(4.0)); unsqueeze_(0); squeeze_(); t_(); transpose_(0, 0); logit_(); sinc_(); deg2rad_()
xlogy_(y); copysign_(-y); true_divide_(2); multiply_(2); subtract_(1); negative_()
"""
for line in forms.strip().splitlines():
    for form in line.split("; "):
        plain = x.clone()
        same = eval(f"plain.{form}") is plain
        leaf = x.clone().requires_grad_()
        recorded = leaf * 1
        try:
            eval(f"recorded.{form}")
            name = recorded.grad_fn.name() if recorded.grad_fn else None
            recorded.sum().backward()
            gradient = [round(v, 4) + 0.0 for v in leaf.grad.tolist()]
        except RuntimeError as error:
            name, gradient = str(error), None
        print(form, same, [round(v, 4) + 0.0 for v in plain.flatten().tolist()], name, gradient)
k = torch.tensor([5, 6, 7])
print(k.add_(1), k.mul_(2), k.bitwise_and_(12), k.bitwise_or_(1), k.floor_divide_(2))
print(k.remainder_(4), k.neg_(), k.fill_(3), k.pow_(2))
print(x.clone().eq_(0.5), x.clone().lt_(y), x.clone().ge_(0.5), x.clone().logical_not_(), x.clone().ne_(y))
print(torch.zeros(2, 2).fill_diagonal_(3), torch.ones(3, 3).tril_())
print(torch.ones(2, 2).triu_(1), torch.arange(4).resize_(2, 2))
print(torch.tensor([3.0]).swapaxes_(0, 0))
print(torch.zeros(2, 3).transpose_(0, 1).shape)
print(torch.zeros(1, 2).squeeze_(0).shape)
torch.manual_seed(0)
print(torch.zeros(3).uniform_(), torch.zeros(2).normal_(), torch.zeros(4).random_(0, 9), torch.zeros(3).bernoulli_(1.0))
