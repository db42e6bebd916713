# SPDX-License-Identifier: Apache-2.0
"""Models of Hugging Face transformers: whether they call a registered attention, and parameters of its own in them."""
from __future__ import annotations

import pathlib
from typing import Any, Optional, Union

import torch
from torch import nn

from . import attention
from .attention_weights import AttentionWeights, LengthScale
from .layers import LearnableAlpha

__all__ = ["check_attention", "learn_attention", "load_attention"]

_RECORD = "fenchel_attention"  # of a model's configuration


def check_attention(model: Any, inputs: Optional[dict] = None) -> dict[str, int]:
    """Runs a model once, and says which of its modules call the attention that `register_attention` made.

    Some models compute attention themselves, and go on with softmax without a word; that is an error here.

    Parameters
    ----------
    model : PreTrainedModel
        Made with `attn_implementation=name`, or changed by `model.set_attn_implementation(name)`.
    inputs : dict, optional
        Arguments of the model; by default its `dummy_inputs`.

    Returns
    -------
    dict of str and int
        Modules by name, and their numbers of heads.

    Raises
    ------
    RuntimeError
        The model never calls it.

    Examples
    --------
    >>> import fenchel.torch as ft
    >>> ft.check_attention(model)                                                                    # doctest: +SKIP
    {'h.0.attn': 4, 'h.1.attn': 4}

    See Also
    --------
    register_attention, learn_attention
    """
    name = _name_of(model)
    names = {module: path for path, module in model.named_modules()}
    training, attention.callers = model.training, []
    try:
        with torch.no_grad():
            model.eval()(**(model.dummy_inputs if inputs is None else inputs))
        found = {names[module]: heads for module, heads in attention.callers}
    finally:
        attention.callers = None
        model.train(training)
    if not found:
        raise RuntimeError(f"{type(model).__name__} never calls the attention {name!r}: its modules compute attention "
                           "themselves, with softmax; expected a model that goes through transformers' attention interface, "
                           "such as BertModel or LlamaModel")
    return found


def _name_of(model: Any) -> str:
    name = getattr(getattr(model, "config", None), "_attn_implementation", None)
    if name not in attention.registered:
        known = ", ".join(sorted(attention.registered)) or "none yet"
        raise ValueError(f"model has the attention {name!r}, which register_attention did not make (it made: {known}); "
                         "expected model.set_attn_implementation(name) before")
    return name


def learn_attention(model: Any, *, alpha: Optional[float] = 1.5, low: float = 1.0, high: float = 2.0,
                    length_scale: bool = False, inputs: Optional[dict] = None) -> list[nn.Parameter]:
    """Gives each module of attention parameters for its weights, one for each head: α, and a scale by the length.

    They are parameters of the model: optimisers made afterwards train them, and `save_pretrained` writes them.
    `from_pretrained` does not read them: `load_attention` does, afterwards.

    Parameters
    ----------
    model : PreTrainedModel
        With an attention that `register_attention` made.
    alpha : float, optional
        The α to start from, strictly between low and high. None: Ω stays what was registered.
    low : float
        The least α, >= 0.
    high : float
        The largest α, finite.
    length_scale : bool
        Whether scores are multiplied by δ + β (log n)^γ, with β = 0 and γ = 1 to start from, and δ = 1.
    inputs : dict, optional
        Arguments of the model, which is run once to see which modules call the attention; by default its
        `dummy_inputs`.

    Returns
    -------
    list of Parameter
        The new parameters, for an optimiser that has others already.

    Examples
    --------
    >>> import fenchel.torch as ft
    >>> new = ft.learn_attention(model, alpha=1.3, length_scale=True)                                # doctest: +SKIP
    >>> model.save_pretrained("tuned")                                                               # doctest: +SKIP
    >>> again = AutoModel.from_pretrained("tuned", attn_implementation="entmax15")                   # doctest: +SKIP
    >>> ft.load_attention(again, "tuned")                                                            # doctest: +SKIP

    See Also
    --------
    register_attention, load_attention, LearnableAlpha, LengthScale
    """
    if alpha is None and not length_scale:
        raise ValueError("alpha is None and length_scale is False; expected something to learn")
    if any(hasattr(module, attention.WEIGHTS) for module in model.modules()):
        raise ValueError("model has learned weights of attention already; expected one call for each model")
    heads = check_attention(model, inputs)
    record = {"heads": heads, "alpha": alpha, "low": low, "high": high, "length_scale": bool(length_scale)}
    parameters = _add(model, record)
    model.config.fenchel_attention = record
    return parameters


def _add(model: nn.Module, record: dict) -> list[nn.Parameter]:
    """Puts modules of weights into those of attention."""
    fixed = attention.registered[_name_of(model)]
    made = {}
    for path, heads in record["heads"].items():
        shape = (heads, 1, 1)
        alpha = None if record["alpha"] is None else LearnableAlpha(shape, record["alpha"], record["low"], record["high"])
        scale = LengthScale(shape) if record["length_scale"] else fixed.length_scale
        made[path] = AttentionWeights(fixed.omega, alpha=alpha, length_scale=scale)
    parameters: list[nn.Parameter] = []
    for path, weights in made.items():
        module = model.get_submodule(path)
        near = next(module.parameters(), None)
        if near is not None:
            weights = weights.to(near.device)
        setattr(module, attention.WEIGHTS, weights)
        parameters += [one for one in weights.parameters() if one.requires_grad]
    return parameters


def load_attention(model: Any, folder: Union[str, pathlib.Path]) -> list[nn.Parameter]:
    """Reads what `learn_attention` added to a model, from the folder that `save_pretrained` wrote.

    Parameters
    ----------
    model : PreTrainedModel
        What `from_pretrained(folder, attn_implementation=name)` gave.
    folder : str or path
        The folder.

    Returns
    -------
    list of Parameter
        The parameters that were read.

    Raises
    ------
    ValueError
        The model has no such parameters, or files lack some of them.

    Examples
    --------
    >>> import fenchel.torch as ft
    >>> model = AutoModel.from_pretrained("tuned", attn_implementation="entmax15")                   # doctest: +SKIP
    >>> ft.load_attention(model, "tuned")                                                            # doctest: +SKIP

    See Also
    --------
    learn_attention
    """
    from safetensors.torch import load_file

    record = getattr(model.config, _RECORD, None)
    if not isinstance(record, dict):
        raise ValueError(f"{folder}: the model's configuration has no {_RECORD}; learn_attention was not called before it "
                         "was saved")
    parameters = _add(model, record)
    mark = f".{attention.WEIGHTS}."
    stored = {name: tensor for path in sorted(pathlib.Path(folder).glob("*.safetensors"))
              for name, tensor in load_file(path).items() if mark in f".{name}"}
    wanted = {name for name in model.state_dict() if mark in f".{name}"}
    if set(stored) != wanted:
        raise ValueError(f"{folder}: the files have not what the model expects: {sorted(set(stored) ^ wanted)[:4]}")
    model.load_state_dict(stored, strict=False)
    return parameters
