# SPDX-License-Identifier: Apache-2.0
"""Entropic transport plans (Sinkhorn's problem) in tensor operations, in the log domain, with a fixed number of steps.

With the rows solved, μ_ij = a_i softmax_j(x_ij + β_j), the columns follow from min_β Σ a_i log Σ_j exp(x_ij + β_j) − ⟨b, β⟩.
Scores are first softened to a spread of FLAT and brought back over STAGES stages, each a sweep of Sinkhorn's and a step of
Newton's method; LAST steps follow. A step goes as far along its direction as is best of a few lengths, among them the one
that decreases the objective for certain: log(1 + r)/r for a direction of range r. Two more steps of Newton carry the
derivatives: at the solution they change nothing, and the k-th makes all derivatives up to 2ᵏ − 1 exact.
"""
from __future__ import annotations

import torch
from torch import Tensor

from ._chain_tensors import FORBIDDEN, LEAST

FLAT = 4.0
STAGES = 16
LAST = 8
_LENGTHS = (1.0, 2.0, 4.0, 8.0)  # times the certain one; and all of the step
_NEAR = 1e-2  # where directions are shorter, all of the step is taken: the objective would be compared in its last digits
_RIDGE = 1e-15  # of the mass: parts of a plan may hardly touch
_WORST = 1e-3  # a plan whose columns are further off, relative to the mass, is none


def _softened(x: Tensor, a: Tensor, beta: Tensor) -> tuple[Tensor, Tensor]:
    """Shares of the columns in each row, and the masses of the columns."""
    shares = (x + beta.unsqueeze(-2)).softmax(-1)
    return shares, (a.unsqueeze(-1) * shares).sum(-2)


def _solution(matrix: Tensor, right: Tensor) -> Tensor:
    """Of a positive definite system."""
    if not torch.onnx.is_in_onnx_export():
        return torch.linalg.solve_ex(matrix, right.unsqueeze(-1))[0].squeeze(-1)
    # ONNX solves no systems: Gauss and Jordan's steps, which need no pivots here.
    both, units = torch.cat([matrix, right.unsqueeze(-1)], -1), torch.eye(right.shape[-1], dtype=right.dtype)
    for k in range(right.shape[-1]):
        row = both[..., k, :] / both[..., k, k:k + 1]
        both = both - (both[..., k] - units[k]).unsqueeze(-1) * row.unsqueeze(-2)
    return both[..., -1]


def _direction(x: Tensor, a: Tensor, b: Tensor, beta: Tensor) -> Tensor:
    """Newton's."""
    shares, masses = _softened(x, a, beta)
    total = b.sum(-1, keepdim=True)
    # Adding a number to β changes nothing: the last term fixes it. Columns without mass have no equation.
    own = masses + _RIDGE * total + total * (b == 0)
    hessian = torch.diag_embed(own) - (a.unsqueeze(-1) * shares).transpose(-1, -2) @ shares
    hessian = hessian + (total / b.shape[-1] ** 2).unsqueeze(-1)
    return _solution(hessian, b - masses)


def _objective(x: Tensor, a: Tensor, b: Tensor, beta: Tensor) -> Tensor:
    return (a * (x + beta.unsqueeze(-2)).logsumexp(-1)).sum(-1) - (b * beta).sum(-1)


def _step(x: Tensor, a: Tensor, b: Tensor, beta: Tensor) -> Tensor:
    direction = _direction(x, a, b, beta)
    direction = torch.where(direction.isfinite(), direction, 0)
    reach = direction.amax(-1, keepdim=True) - direction.amin(-1, keepdim=True)
    certain = torch.where(reach > 0, reach.log1p() / reach, 1)
    tries = [torch.ones_like(certain)] + [length * certain for length in _LENGTHS]
    values = torch.stack([_objective(x, a, b, beta + length * direction) for length in tries], -1)
    length = torch.cat(tries, -1).gather(-1, values.argmin(-1, keepdim=True))
    return beta + torch.where(reach < _NEAR, 1, length) * direction


def _solved(x: Tensor, a: Tensor, b: Tensor) -> Tensor:
    """β, without derivatives."""
    top, bottom = x.amax((-2, -1)), torch.where(x > FORBIDDEN, x, float("inf")).amin((-2, -1))
    spread = ((top - bottom) / FLAT).clamp(min=1)[..., None]
    beta = torch.zeros_like(b)
    for stage in range(1, STAGES + 1):
        heat = spread ** (1 - stage / STAGES)
        softer, start = x / heat.unsqueeze(-1), beta / heat
        masses = _softened(softer, a, start)[1]
        change = b.log() - masses.log()
        start = torch.where(change.isfinite(), start + change, start)
        beta = heat * _step(softer, a, b, start)
    for _ in range(LAST):
        beta = _step(x, a, b, beta)
    return beta


def entropic_plan(x: Tensor, a: Tensor, b: Tensor) -> Tensor:
    """argmax ⟨x, μ⟩ − Σ μ log μ over the plans [..., m, n] with row sums a and column sums b, scaled to the total of a."""
    b = b * (a.sum(-1, keepdim=True) / b.sum(-1, keepdim=True))
    if x.shape[-2] < x.shape[-1]:  # the smaller system of equations
        return _plan(x.transpose(-1, -2), b, a).transpose(-1, -2)
    return _plan(x, a, b)


def _plan(x: Tensor, a: Tensor, b: Tensor) -> Tensor:
    x = x.clamp(min=LEAST).masked_fill((b == 0).unsqueeze(-2), LEAST)
    with torch.no_grad():
        beta = _solved(x.detach(), a, b)
    for _ in range(2):
        beta = beta + _direction(x, a, b, beta)
    shares, masses = _softened(x, a, beta)
    off = (masses - b).abs().sum(-1) + (a * shares.masked_fill(x > FORBIDDEN, 0).sum(-1)).sum(-1)  # what is forbidden has none
    return torch.where((off <= _WORST * b.sum(-1))[..., None, None], a.unsqueeze(-1) * shares, float("nan"))
