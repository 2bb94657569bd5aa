# Written by tools/stubs.py; `make stubs` writes it anew.

from rushlight import atleast_1d as atleast_1d
from rushlight import atleast_2d as atleast_2d
from rushlight import atleast_3d as atleast_3d
from rushlight import block_diag as block_diag
from rushlight import broadcast_shapes as broadcast_shapes
from rushlight import broadcast_tensors as broadcast_tensors
from rushlight import cartesian_prod as cartesian_prod
from rushlight import cdist as cdist
from rushlight import chain_matmul as chain_matmul
from rushlight import einsum as einsum
from rushlight import istft as istft
from rushlight import lu as lu
from rushlight import meshgrid as meshgrid
from rushlight import norm as norm
from rushlight import pca_lowrank as pca_lowrank
from rushlight import split as split
from rushlight import stft as stft
from rushlight import svd_lowrank as svd_lowrank
from rushlight import tensordot as tensordot
from rushlight import unique as unique
from rushlight import unique_consecutive as unique_consecutive
from rushlight import unravel_index as unravel_index
