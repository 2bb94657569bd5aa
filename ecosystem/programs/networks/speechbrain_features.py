"""speechbrain and asteroid-filterbanks: features of sounds, networks over them, losses, and filters that learn."""

import warnings

import torch

warnings.simplefilter("ignore")
from asteroid_filterbanks import STFTFB, Decoder, Encoder, FreeFB, ParamSincFB, make_enc_dec, transforms  # noqa: E402
from speechbrain.lobes.features import MFCC, Fbank  # noqa: E402
from speechbrain.lobes.models.ECAPA_TDNN import ECAPA_TDNN  # noqa: E402
from speechbrain.lobes.models.transformer.Transformer import TransformerEncoder  # noqa: E402
from speechbrain.nnet.losses import ctc_loss, get_si_snr_with_pitwrapper, nll_loss  # noqa: E402
from speechbrain.nnet.RNN import GRU, LiGRU  # noqa: E402
from speechbrain.nnet.schedulers import NewBobScheduler, NoamScheduler  # noqa: E402

torch.manual_seed(0)
sound, lengths = torch.randn(6, 1600).cumsum(1) * 0.1, torch.tensor([1.0, 0.6, 0.9, 0.8, 1.0, 0.7])
features = Fbank(n_mels=20)(sound)
print(tuple(features.shape), f"{features.mean().item():.3f} {MFCC(n_mels=20, n_mfcc=8)(sound).abs().sum().item():.1f}")
for net in (GRU(6, input_shape=features.shape), LiGRU(6, input_shape=features.shape), ECAPA_TDNN(20, lin_neurons=6, channels=[8] * 5,
    kernel_sizes=[3] * 5, dilations=[1] * 5, attention_channels=4, res2net_scale=2, se_channels=4)):  # fmt: skip
    out = net(features.detach(), lengths=lengths) if isinstance(net, ECAPA_TDNN) else net(features.detach())[0]
    out.square().mean().backward()
    print(
        type(net).__name__,
        tuple(out.shape),
        f"{out.sum().item():.3f} {sum(p.grad.abs().sum().item() for p in net.parameters()):.3f}",
    )
encoder = TransformerEncoder(num_layers=1, nhead=2, d_ffn=16, d_model=20, dropout=0.0)
scores = torch.nn.functional.log_softmax(encoder(features.detach())[0], -1)
loss = ctc_loss(scores, torch.tensor([[1, 2, 2], [3, 4, 0]] * 3), lengths, torch.tensor([1.0, 0.67] * 3), 0)
loss.backward()
print(
    f"{loss.item():.4f} {nll_loss(scores[:, 0], torch.tensor([1, 2] * 3)).item():.4f}",
    sum(p.grad.abs().sum() for p in encoder.parameters()),
)
print(get_si_snr_with_pitwrapper(sound.reshape(6, 800, 2), sound.reshape(6, 800, 2).flip(2) + 0.1 * torch.randn(6, 800, 2)))
print(NewBobScheduler(0.1)(1.0), [NoamScheduler(0.1, 4)(torch.optim.SGD(encoder.parameters(), 0.1)) for _ in range(2)])
for bank in (FreeFB(16, 8), STFTFB(16, 8), ParamSincFB(16, 9, sample_rate=8000.0)):
    torch.manual_seed(1)
    front = Encoder(bank)
    seen = front(sound[:, None].clone().requires_grad_())
    seen.square().mean().backward()
    print(type(bank).__name__, tuple(seen.shape), f"{seen.abs().sum().item():.2f}", transforms.mag(seen).sum())
front, back = make_enc_dec("free", n_filters=16, kernel_size=8, stride=4)
optimizer = torch.optim.Adam([*front.parameters(), *back.parameters()], lr=0.01)
for _ in range(3):
    optimizer.zero_grad()
    loss = (back(front(sound[:, None]))[..., :1600].squeeze() - sound).square().mean()
    loss.backward()
    optimizer.step()
    print(f"{loss.item():.4f}", isinstance(back, Decoder))
