# SPDX-License-Identifier: Apache-2.0
"""A plugin of pytest for the tests of POT: the backends that are there. Its own is not in the source distribution."""
import pytest

pytest.skip_backend = pytest.skip_arg = lambda *_, **__: lambda test: test  # for backends that are not here


@pytest.fixture(params=["numpy", "torch"])
def nx(request):
    import ot
    return ot.backend.NumpyBackend() if request.param == "numpy" else ot.backend.TorchBackend()
