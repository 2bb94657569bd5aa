"""SciPy with SCIPY_ARRAY_API=1 on tensors: what it computes by the Python Array API stays tensors, and is differentiable."""

import os

os.environ["SCIPY_ARRAY_API"] = "1"

import scipy.cluster.vq
import scipy.constants
import scipy.differentiate
import scipy.fft
import scipy.integrate
import scipy.linalg
import scipy.ndimage
import scipy.optimize
import scipy.optimize.elementwise
import scipy.signal
import scipy.special
import scipy.stats
import torch
from scipy.spatial.transform import Rotation

torch.set_default_dtype(torch.float64)
x = torch.linspace(0.1, 3.0, 12).reshape(3, 4)


def show(name, value):
    if isinstance(value, torch.Tensor):
        value = value.detach()
        print(name, type(value).__name__, value.dtype, tuple(value.shape), [round(float(v), 8) for v in value.flatten()[:6]])
    else:
        print(name, value)


show("gmean", scipy.stats.gmean(x, axis=1))
show("hmean", scipy.stats.hmean(x, axis=0))
show("moment", scipy.stats.moment(x, 2, axis=1))
show("skew", scipy.stats.skew(x, axis=1))
show("kurtosis", scipy.stats.kurtosis(x, axis=1))
show("zscore", scipy.stats.zscore(x, axis=1))
show("variation", scipy.stats.variation(x, axis=1))
show("entropy", scipy.stats.entropy(x, axis=1))
show("sem", scipy.stats.sem(x, axis=1))
show("iqr", scipy.stats.iqr(x, axis=1))
show("trim_mean", scipy.stats.trim_mean(x, 0.2, axis=1))
show("pearsonr", scipy.stats.pearsonr(x[0], x[1] ** 2).statistic)
show("ttest_1samp", scipy.stats.ttest_1samp(x, 1.0, axis=1).statistic)
show("ttest_ind", scipy.stats.ttest_ind(x[0], x[1]).pvalue)
show("logsumexp", scipy.special.logsumexp(x, axis=1))
show("softmax", scipy.special.softmax(x, axis=1))
show("log_softmax", scipy.special.log_softmax(x, axis=0))
show("erf", scipy.special.erf(x))
show("expit", scipy.special.expit(x))
show("gammaln", scipy.special.gammaln(x))
show("xlogy", scipy.special.xlogy(x, x))
show("entr", scipy.special.entr(x))
show("fft", scipy.fft.fft(x).real)
show("rfft", scipy.fft.rfft(x).imag)
show("irfftn", scipy.fft.irfftn(scipy.fft.rfftn(x)))
show("fftfreq", scipy.fft.fftfreq(4, 0.5, xp=torch))
show("fht", scipy.fft.fht(x, 0.1, 0.5))
show("simpson", scipy.integrate.simpson(x, dx=0.5))
show("trapezoid", scipy.integrate.trapezoid(x, dx=0.5))
show("cumulative_trapezoid", scipy.integrate.cumulative_trapezoid(x, dx=0.5))
show("convert_temperature", scipy.constants.convert_temperature(x, "C", "K"))
show("whiten", scipy.cluster.vq.whiten(x))
show("detrend", scipy.signal.detrend(x))
show("periodogram", scipy.signal.periodogram(x[0])[1])
show("fftconvolve", scipy.signal.fftconvolve(x[0], x[1]))
show("convolve", scipy.signal.convolve(x[0], x[1]))
show("hilbert", scipy.signal.hilbert(x[0]).imag)
show("welch", scipy.signal.welch(x.flatten(), nperseg=6)[1])
show("gaussian_filter", scipy.ndimage.gaussian_filter(x, 1.0))
show("median_filter", scipy.ndimage.median_filter(x, 3))
show("rotation", Rotation.from_rotvec(torch.tensor([0.1, 0.2, 0.3])).as_matrix())
show("rosen", scipy.optimize.rosen(x[0]))
show("rosen_der", scipy.optimize.rosen_der(x[0]))
show("differentiate", scipy.differentiate.derivative(torch.exp, torch.tensor([0.0, 1.0])).df)
show("root", scipy.optimize.elementwise.find_root(lambda v: v**2 - 2, (torch.tensor([0.0]), torch.tensor([2.0]))).x)

leaf = x.clone().requires_grad_()
(scipy.stats.gmean(leaf, axis=1).sum() + scipy.special.logsumexp(leaf) + scipy.stats.zscore(leaf, axis=1)[0, 1]).backward()
show("gradient", leaf.grad)
leaf = x[0].clone().requires_grad_()
scipy.optimize.rosen(leaf).backward()
show("gradient of rosen", leaf.grad)
