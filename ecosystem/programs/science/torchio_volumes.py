"""torchio: volumes transformed at random and by rule, patches of them and how they are put together again."""

import warnings

import torch

warnings.simplefilter("ignore")
import torchio as tio  # noqa: E402

torch.manual_seed(0)
affine = torch.diag(torch.tensor([1.0, 1.0, 2.0, 1.0])).numpy()
subject = tio.Subject(
    scan=tio.ScalarImage(tensor=torch.rand(1, 16, 14, 12), affine=affine),
    organ=tio.LabelMap(tensor=(torch.rand(1, 16, 14, 12) > 0.7).long(), affine=affine),
    age=40,
)
print(subject.shape, subject.spacing, subject.scan.orientation)
for transform in (
    tio.ZNormalization(),
    tio.RescaleIntensity((0, 1)),
    tio.Resample(1.5),
    tio.CropOrPad((10, 16, 12)),
    tio.RandomFlip(axes=(0,), flip_probability=1.0),
    tio.RandomAffine(scales=0.1, degrees=10),
    tio.RandomNoise(),
    tio.RandomBiasField(),
    tio.RandomBlur(),
    tio.RandomGamma(),
    tio.RandomMotion(),
    tio.RandomSpike(),
    tio.RandomElasticDeformation(num_control_points=5, max_displacement=1.0, locked_borders=1),
    tio.OneHot(),
):
    torch.manual_seed(1)
    done = transform(subject)
    print(
        type(transform).__name__, tuple(done.scan.shape), tuple(done.organ.shape), f"{done.scan.data.float().mean().item():.4f}"
    )
    print(len(done.history), f"{done.scan.data.float().std().item():.4f} {done.organ.data.sum().item():.0f}")
sampler = tio.GridSampler(subject, 8, 2)
loader = tio.SubjectsLoader(sampler, batch_size=4)
whole = tio.GridAggregator(sampler, overlap_mode="hann")
net = torch.nn.Conv3d(1, 2, 3, padding=1)
for patches in loader:
    out = net(patches["scan"][tio.DATA])
    out.square().mean().backward()
    whole.add_batch(out.detach(), patches[tio.LOCATION])
print(len(sampler), tuple(whole.get_output_tensor().shape), whole.get_output_tensor().mean(), net.weight.grad.abs().sum())
torch.manual_seed(2)
queue = tio.Queue(tio.SubjectsDataset([subject] * 2), 8, 4, tio.UniformSampler(6), num_workers=0)
print([tuple(batch["scan"][tio.DATA].shape) for batch in tio.SubjectsLoader(queue, batch_size=4)])
