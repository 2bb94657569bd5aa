"""vector-quantize-pytorch, hyper-connections, axial positions and einx: codes that learn, and streams that mix."""

import einx
import torch
from axial_positional_embedding import AxialPositionalEmbedding
from hyper_connections import HyperConnections
from vector_quantize_pytorch import FSQ, LFQ, RandomProjectionQuantizer, ResidualVQ, VectorQuantize

torch.manual_seed(0)
x = torch.randn(2, 12, 8)
for make in (
    lambda: VectorQuantize(dim=8, codebook_size=16, decay=0.8, commitment_weight=1.0),
    lambda: VectorQuantize(dim=8, codebook_size=16, use_cosine_sim=True, kmeans_init=True, kmeans_iters=3),
    lambda: VectorQuantize(dim=8, codebook_size=16, learnable_codebook=True, ema_update=False, rotation_trick=True),
    lambda: ResidualVQ(dim=8, codebook_size=8, num_quantizers=3),
    lambda: LFQ(codebook_size=16, dim=8, entropy_loss_weight=0.02),
):
    torch.manual_seed(1)
    coder = make()
    inputs = x.clone().requires_grad_()
    for _ in range(2):
        coded, indices, loss = coder(inputs)
        (coded.square().mean() + loss.sum()).backward()
    print(type(coder).__name__, indices.flatten()[:6].tolist(), f"{loss.sum().item():.4f} {inputs.grad.abs().sum().item():.4f}")
levels = FSQ([5, 4, 3])
coded, indices = levels(torch.randn(2, 4, 3))
print(
    indices,
    levels.indices_to_codes(indices).sum(),
    RandomProjectionQuantizer(dim=8, num_codebooks=2, codebook_dim=4, codebook_size=8)(x).shape,
)
into, spread, gathered = HyperConnections.get_init_and_expand_reduce_stream_functions(3)
branch = into(dim=8, branch=torch.nn.Linear(8, 8))
out = gathered(branch(spread(x)))
out.sum().backward()
print(
    tuple(out.shape),
    f"{out.sum().item():.4f}",
    [round(one.grad.abs().sum().item(), 3) for one in branch.parameters() if one.grad is not None],
)
print(AxialPositionalEmbedding(dim=8, axial_shape=(3, 4))(x).sum())
a, b = torch.randn(3, 4, requires_grad=True), torch.randn(4, 5)
out = einx.dot("a [c], [c] b -> a b", a, b)
out.sum().backward()
print(out.sum(), a.grad.sum(), einx.mean("a [c]", a), einx.softmax("a [c]", a).sum(), einx.id("a (b c) -> b a c", a, b=2).shape)
