# SPDX-License-Identifier: Apache-2.0
"""POT: plans with an entropic penalty are `sinkhorn`, those with a squared one `SparseMap` over `Transport`.

Everything else of the installed package stays as it is: costs, data, and the backends for NumPy and PyTorch.
"""
import fenchel
import fenchel.torch as ft
import numpy as np
import torch

from peers.peer import Peer

PEER = Peer(
    title="POT", package="POT", version="0.9.7.post1",
    sha256="2edd70845047ac2d378487b980a2bffb5ff58e9b92b7133896ff5753f6300cec",
    tests=("test/test_smooth.py", "test/test_bregman.py"), plugins=("peers.pot_backends",),
    left_out={"other problems than smooth plans: linear programmes, Gromov-Wasserstein distances, domain adaptation, "
              "unbalanced, partial and low-rank plans, Gaussians, backends …": ["test/test_*.py"]},
    ours="`sinkhorn` of NumPy and torch, `SparseMap(Transport(a, b))`",
    does_not_apply={
        "also asks for plans with at most k entries in a column, which are not the solution of a convex problem": [
            "test_smooth_ot_dual", "test_smooth_ot_semi_dual", "test_sparsity_constrained_gradient"],
        "warnings where theirs stops early or divides by 0; ours goes on to the solution, or refuses": [
            "test_sinkhorn", "test_convergence_warning", "test_nan_warning"],
        "gradients with respect to masses; ours has those with respect to costs": ["test_sinkhorn2_gradients"],
        "barycenters, divergences and unmixing of distributions": [
            "test_barycenter*", "test_free_support_sinkhorn_barycenter", "test_convergence_warning_barycenters",
            "test_wasserstein_bary_2d*", "test_convolutional_barycenter_non_square", "test_unmix",
            "test_empirical_sinkhorn_divergence_gradient", "test_empirical_sinkhorn_warmstart",
            "test_empirical_sinkhorn_divergence_warmstart"],
        "names of their methods": ["test_not_implemented_method", "test_implemented_methods"],
        "other libraries, which its authors skip where they are not installed": [
            "test_geomloss_solver", "test_sinkhorn2_variants_device_tf"],
    },
)
METHODS = ("sinkhorn", "sinkhorn_log", "sinkhorn_stabilized", "sinkhorn_epsilon_scaling", "greenkhorn")


def plan(a, b, costs, gamma):
    """The plan for one b, or those of each column of b."""
    a, b = (None if mass is None or len(mass) == 0 else mass for mass in (a, b))
    if isinstance(costs, torch.Tensor):
        return ft.sinkhorn(costs, a, b, gamma=gamma)
    return fenchel.sinkhorn(costs, a, b, gamma=gamma)


def sinkhorn(a, b, M, reg, method="sinkhorn", log=False, **_):
    if method.lower() not in METHODS:
        raise ValueError(f"unknown method {method!r}")
    found = sinkhorn2(a, b, M, reg) if np.ndim(b) == 2 else plan(a, b, M, reg)
    return (found, {}) if log else found


def sinkhorn2(a, b, M, reg, method="sinkhorn", log=False, **_):
    if method.lower() not in METHODS:
        raise ValueError(f"unknown method {method!r}")
    if np.ndim(b) == 2:
        costs = [(plan(a, column, M, reg) * M).sum() for column in b.T]
        found = torch.stack(costs) if isinstance(M, torch.Tensor) else np.array(costs)
    else:
        found = (plan(a, b, M, reg) * M).sum()
    return (found, {}) if log else found


def smooth(a, b, M, reg, reg_type="l2", log=False, **_):
    """argmin ⟨P, M⟩ + reg Σ P log P, or + (reg/2) ‖P‖²."""
    if reg_type == "kl":
        found = plan(a, b, M, reg)
    elif reg_type == "l2":
        omega = fenchel.SparseMap(fenchel.Transport(list(a), list(b)))
        found = fenchel.predict(-M.reshape(-1) / reg, omega).reshape(M.shape)
    else:
        raise NotImplementedError(reg_type)
    return (found, {}) if log else found


def substitute():
    import ot
    import ot.smooth
    for module in (ot, ot.bregman):
        module.sinkhorn, module.sinkhorn2 = sinkhorn, sinkhorn2
    ot.smooth.smooth_ot_dual = ot.smooth.smooth_ot_semi_dual = smooth
