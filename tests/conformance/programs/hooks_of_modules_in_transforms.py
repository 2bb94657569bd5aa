"""Full backward hooks of modules under torch.func: what `grad` would record is refused, the others pass them by; and memory by reference."""

import gc
import warnings

import torch
from torch.func import functional_call, grad, jacfwd, jacrev, jvp, vjp, vmap
from torch.multiprocessing.reductions import StorageWeakRef

net = torch.nn.Linear(2, 1)
with torch.no_grad():
    for parameter in net.parameters():
        parameter.fill_(0.5)
net.register_full_backward_hook(lambda module, grads, outs: print("hook", grads, outs))
parameters = {name: value.detach() for name, value in net.named_parameters()}
x = torch.arange(6.0).reshape(3, 2)
for function in (
    lambda: vmap(grad(lambda p, x: functional_call(net, p, (x,)).sum()), (None, 0))(parameters, x),
    lambda: grad(lambda p: functional_call(net, p, (x,)).sum())(parameters),
    lambda: jacrev(net)(x),
    lambda: vjp(net, x),
    lambda: vmap(net)(x).detach(),
    lambda: jvp(net, (x,), (x,))[1].detach(),
    lambda: jacfwd(net)(x).detach(),
):
    try:
        print(function())
    except RuntimeError as error:
        print(error)

# What hooks warn of comes before what `backward` itself warns of.
torch.set_warn_always(True)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    net(x).exp().sum().backward(create_graph=True)
print([str(each.message)[:40] for each in caught])

memory = torch.zeros(4)
reference, other = StorageWeakRef(memory.untyped_storage()), StorageWeakRef(memory[1:].untyped_storage())
print(reference == other, hash(reference) == hash(other), reference.expired(), reference == StorageWeakRef(x.untyped_storage()))
part = memory[2:]
del memory
gc.collect()
print(reference.expired())
del part
gc.collect()
print(reference.expired())

with torch.inference_mode():
    made = torch.ones(1, 2, 3, requires_grad=True)
    print(made.resize_(1, 2).shape)
before = net.weight._cdata
net.weight.data = torch.ones(1, 2)
print(net.weight._cdata == before, net.weight._cdata == net.bias._cdata)

# A parameter that leaves or reaches the meta device is another one; on its own device it stays.
for start, end in (("meta", "cpu"), ("cpu", "meta"), ("cpu", "cpu")):
    layer = torch.nn.Linear(2, 2, device=start)
    kept = list(layer.parameters())
    layer.to_empty(device=end)
    print([each is other for each, other in zip(kept, layer.parameters())], layer.weight.device, layer.weight.requires_grad)
