# SPDX-License-Identifier: Apache-2.0
"""entmax: `fenchel.torch` has all of its public names."""
from peers.peer import Peer, module

PEER = Peer(
    title="entmax", package="entmax", version="1.0",
    sha256="1cd9721c34935824e071c8c20900711cad60c3d84bc9e4668f3b7a8873bf62cf",
    tests=("entmax/test_losses.py", "entmax/test_mask.py", "entmax/test_root_finding.py", "entmax/test_topk.py"),
    ours="`fenchel.torch`, the import changed and nothing else",
)


def threshold_and_support(predict, slope):
    """A private function of theirs, from our prediction: the threshold is the largest θ − slope(p), and k changes nothing."""
    def function(x, dim=-1, k=None):
        p = predict(x, dim=dim, k=k)
        return (x - slope(p)).amax(dim, keepdim=True), (p > 0).sum(dim, keepdim=True)
    return function


def substitute():
    import fenchel.torch as ours
    module("entmax", **vars(ours))
    module("entmax.losses", **vars(ours))
    module("entmax.root_finding", **vars(ours))
    module("entmax.activations", **vars(ours),
           _sparsemax_threshold_and_support=threshold_and_support(ours.sparsemax, lambda p: p),
           _entmax_threshold_and_support=threshold_and_support(ours.entmax15, lambda p: 2 * p.sqrt()))
