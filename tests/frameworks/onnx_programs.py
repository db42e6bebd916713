# SPDX-License-Identifier: Apache-2.0
"""What tests of ONNX share: a module as an ONNX program, compared with itself."""
import contextlib
import io
import logging
import warnings

import onnxruntime
import torch


def program_of(module, inputs, axes=None):
    """The ONNX program of a module, without the exporter's talk."""
    logging.getLogger("torch.onnx").setLevel(logging.ERROR)
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        return torch.onnx.export(module.eval(), inputs, dynamo=True, dynamic_shapes=axes)


def check(test, module, cases, axes, tolerance=1e-6):
    """Records the first inputs, and compares all of them."""
    data = program_of(module, cases[0], axes).model_proto.SerializeToString()
    session = onnxruntime.InferenceSession(data)
    for inputs in cases:
        found = session.run(None, {one.name: value.numpy() for one, value in zip(session.get_inputs(), inputs)})
        test.assertEqual(len(found), 1)
        torch.testing.assert_close(torch.as_tensor(found[0]), module(*inputs).detach(), rtol=0, atol=tolerance)


def failure(module, inputs):
    """What all errors on the way say."""
    try:
        program_of(module, inputs)
    except Exception as error:
        told = []
        while error is not None:
            told.append(str(error))
            error = error.__cause__
        return "\n".join(told)
    raise AssertionError("the export worked")
