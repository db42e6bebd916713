# SPDX-License-Identifier: Apache-2.0
"""Attention of Hugging Face transformers with other weights than softmax, in tiny models with random weights."""
import functools
import os
import tempfile
import unittest

os.environ["HF_HUB_OFFLINE"] = "1"
try:
    import torch
    import transformers
except ImportError as error:
    print(f"skipped: {error.name} is not installed")
    raise SystemExit(0) from None

import fenchel.torch as ft

transformers.logging.set_verbosity_error()
SIZES = {"vocab_size": 60, "hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 24,
         "max_position_embeddings": 64, "bos_token_id": 1, "eos_token_id": None, "pad_token_id": 0}
GROUPED = {**SIZES, "num_key_value_heads": 2, "head_dim": 4}
T5 = {"vocab_size": 60, "d_model": 16, "d_kv": 4, "d_ff": 24, "num_layers": 2, "num_heads": 4, "decoder_start_token_id": 0,
      "eos_token_id": None}
WHISPER = {"vocab_size": 60, "num_mel_bins": 8, "d_model": 16, "encoder_layers": 1, "decoder_layers": 2,
           "encoder_attention_heads": 4, "decoder_attention_heads": 4, "encoder_ffn_dim": 24, "decoder_ffn_dim": 24,
           "max_source_positions": 10, "max_target_positions": 30, "bos_token_id": 1, "eos_token_id": None, "pad_token_id": 0,
           "decoder_start_token_id": 1, "begin_suppress_tokens": None, "suppress_tokens": None}
DECODERS = {
    "GPT2": {"vocab_size": 60, "n_embd": 16, "n_layer": 2, "n_head": 4, "bos_token_id": 1, "eos_token_id": None,
             "pad_token_id": 0},
    "Llama": GROUPED, "Mistral": {**GROUPED, "sliding_window": 4}, "Qwen2": GROUPED, "Qwen3": GROUPED, "Gemma": GROUPED,
    "Gemma2": {**GROUPED, "sliding_window": 4, "attn_logit_softcapping": 5.0, "query_pre_attn_scalar": 4},
    "Phi": SIZES, "OPT": {**SIZES, "ffn_dim": 24, "word_embed_proj_dim": 16}, "GPTNeoX": SIZES,
    "GptOss": {**GROUPED, "num_local_experts": 2, "num_experts_per_tok": 1, "sliding_window": 4},
}
EMBEDDED = {**SIZES, "embedding_size": 16}
ENCODERS = {"Bert": SIZES, "Roberta": SIZES, "Electra": EMBEDDED, "Albert": EMBEDDED,
            "DistilBert": {"vocab_size": 60, "dim": 16, "n_layers": 2, "n_heads": 4, "hidden_dim": 24, "pad_token_id": 0}}


def made(name, kind, sizes, attention="entmax15"):
    """A model of random weights, in double precision, large enough that weights are sparse."""
    torch.manual_seed(0)
    configuration = getattr(transformers, f"{name}Config")(**sizes)
    configuration._attn_implementation = attention
    configuration._experts_implementation = "eager"
    model = getattr(transformers, f"{name}{kind}")(configuration).double().eval()
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() > 1:
                parameter.mul_(12)
    return model


@functools.cache
def decoder(name, attention="entmax15"):
    """One that tests do not change."""
    return own_decoder(name, attention)


def own_decoder(name, attention="entmax15"):
    return made(name, "LMHeadModel" if name == "GPT2" else "ForCausalLM", DECODERS[name], attention)


class Attention(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        ft.register_attention("entmax15")
        ft.register_attention("entmax15", name="scaled", length_scale=(1.0, 0.6, 0.5))
        cls.tokens = torch.randint(2, 60, (2, 9), generator=torch.Generator().manual_seed(1))
        cls.full = torch.ones_like(cls.tokens)

    def test_weights_are_those_of_omega(self):
        """Against the model's own attention, whose softmax is replaced."""
        for name in DECODERS:
            with self.subTest(name):
                own, softmax = decoder(name, "eager"), ft.register_attention("softmax")
                with torch.no_grad():
                    expected = own(self.tokens, attention_mask=self.full).logits
                    got = decoder(name, softmax)(self.tokens, attention_mask=self.full).logits
                    other = decoder(name)(self.tokens, attention_mask=self.full).logits
                # Some models compute their own softmax in float32.
                torch.testing.assert_close(got, expected, rtol=1e-4, atol=1e-4 * expected.abs().max().item())
                self.assertGreater((other - expected).abs().max(), 1e-3 * expected.abs().max())

    def test_the_future_is_not_seen(self):
        for name in DECODERS:
            with self.subTest(name):
                for attention in ("entmax15", "scaled"):
                    model, later = decoder(name, attention), self.tokens.clone()
                    later[:, 6:] = (later[:, 6:] + 7) % 58 + 2
                    with torch.no_grad():
                        first, second = (model(x, attention_mask=self.full).logits for x in (self.tokens, later))
                        no_mask = model(self.tokens).logits
                    self.assertTrue(torch.equal(first[:, :6], second[:, :6]))
                    self.assertFalse(torch.equal(first[:, 6:], second[:, 6:]))
                    self.assertTrue(torch.equal(first, no_mask))

    def test_padding_on_the_left_is_not_seen(self):
        mask = self.full.clone()
        mask[0, :4] = 0
        places = (mask.cumsum(-1) - 1).clamp(min=0)
        for name in DECODERS:
            with self.subTest(name):
                model, other = decoder(name), self.tokens.clone()
                other[0, :4] = 3
                with torch.no_grad():
                    one = {} if name == "OPT" else {"position_ids": places}
                    first, second = (model(x, attention_mask=mask, **one).logits for x in (self.tokens, other))
                    alone = model(self.tokens[:1, 4:]).logits
                self.assertTrue(torch.equal(first[0, 4:], second[0, 4:]))
                self.assertTrue(first.isfinite().all())
                torch.testing.assert_close(first[0, 4:], alone[0], rtol=1e-5, atol=1e-6 * alone.abs().max().item())

    def test_generation_with_a_cache(self):
        for name in DECODERS:
            with self.subTest(name):
                model = decoder(name, "scaled")
                chosen = {"do_sample": False, "max_new_tokens": 6, "min_new_tokens": 6, "attention_mask": self.full}
                found = [model.generate(self.tokens, use_cache=cache, **chosen) for cache in (True, False)]
                self.assertTrue(torch.equal(*found))
                if name in ("Llama", "GPT2"):
                    static = model.generate(self.tokens, cache_implementation="static", disable_compile=True, **chosen)
                    self.assertTrue(torch.equal(static, found[0]))

    def test_gradients(self):
        mask = self.full.clone()
        mask[0, :4] = 0
        for name in DECODERS:
            with self.subTest(name):
                model = own_decoder(name).float().train()
                model(self.tokens, attention_mask=mask, labels=self.tokens).loss.backward()
                gradients = [one.grad for one in model.parameters() if one.grad is not None]
                self.assertTrue(all(gradient.isfinite().all() for gradient in gradients))
                self.assertTrue(any(gradient.abs().sum() > 0 for gradient in gradients))

    def test_encoders(self):
        mask = self.full.clone()
        mask[1, 5:] = 0
        for name in ENCODERS:
            with self.subTest(name):
                model, other = made(name, "Model", ENCODERS[name]), self.tokens.clone()
                other[1, 5:] = 3
                with torch.no_grad():
                    first, second = (model(x, attention_mask=mask).last_hidden_state for x in (self.tokens, other))
                    last = self.tokens.clone()
                    last[:, 8] = 5
                    moved = model(last, attention_mask=mask).last_hidden_state
                self.assertTrue(torch.equal(first[1, :5], second[1, :5]))
                self.assertFalse(torch.equal(first[0, 0], moved[0, 0]))  # which sees what comes later
                self.assertGreater(len(ft.check_attention(model)), 0)

    def test_pictures(self):
        model = made("ViT", "Model", {key: value for key, value in SIZES.items() if "token" not in key and "max" not in key
                                      and "vocab" not in key} | {"image_size": 8, "patch_size": 4})
        pixels = torch.randn(1, 3, 8, 8, dtype=torch.float64)
        self.assertEqual(len(ft.check_attention(model, {"pixel_values": pixels})), 2)
        weights = model(pixels, output_attentions=True).attentions[0]
        torch.testing.assert_close(weights.sum(-1), torch.ones(1, 4, 5, dtype=torch.float64))
        self.assertTrue((weights == 0).any())

    def encoder_decoder(self, name):
        if name == "T5":
            return made("T5", "ForConditionalGeneration", T5), {"input_ids": self.tokens}
        sounds = torch.randn(2, 8, 20, dtype=torch.float64, generator=torch.Generator().manual_seed(2))
        return made("Whisper", "ForConditionalGeneration", WHISPER), {"input_features": sounds}

    def test_encoders_with_decoders(self):
        for name in ("T5", "Whisper"):
            with self.subTest(name):
                model, inputs = self.encoder_decoder(name)
                later = self.tokens.clone()
                later[:, 6:] = 5
                with torch.no_grad():
                    first, second = (model(**inputs, decoder_input_ids=x).logits for x in (self.tokens, later))
                self.assertTrue(torch.equal(first[:, :6], second[:, :6]))
                parts = ft.check_attention(model, {**inputs, "decoder_input_ids": self.tokens})
                self.assertEqual(len(parts), {"T5": 6, "Whisper": 5}[name])
                chosen = {"do_sample": False, "max_new_tokens": 5, "min_new_tokens": 5}
                self.assertTrue(torch.equal(*(model.generate(**inputs, use_cache=cache, **chosen) for cache in (True, False))))

    def test_a_model_that_computes_attention_itself(self):
        model = made("DebertaV2", "Model", SIZES)
        with self.assertRaisesRegex(RuntimeError, "DebertaV2Model never calls the attention 'entmax15'"):
            ft.check_attention(model)
        with self.assertRaisesRegex(ValueError, "model has the attention 'eager'.*entmax15.*set_attn_implementation"):
            ft.check_attention(decoder("Llama", "eager"))

    def test_learned_weights(self):
        model = own_decoder("Llama")
        with torch.no_grad():
            before = model(self.tokens).logits
        new = ft.learn_attention(model, alpha=1.5, length_scale=True)
        self.assertEqual([tuple(one.shape) for one in new], [(4, 1, 1)] * 6)
        self.assertLessEqual({id(one) for one in new}, {id(one) for one in model.parameters()})
        with torch.no_grad():
            torch.testing.assert_close(model(self.tokens).logits, before, rtol=1e-5, atol=1e-5 * before.abs().max().item())
        with self.assertRaisesRegex(ValueError, "already"):
            ft.learn_attention(model)
        optimizer = torch.optim.Adam(new, 0.1)
        model.train()(self.tokens, labels=self.tokens).loss.backward()
        optimizer.step()
        self.assertTrue(all(one.grad.isfinite().all() for one in new))
        self.assertTrue(any(one.grad.abs().sum() > 0 for one in new))
        with torch.no_grad(), tempfile.TemporaryDirectory() as folder:
            learned = model.eval()(self.tokens).logits
            self.assertGreater((learned - before).abs().max(), 1e-4)
            model.save_pretrained(folder)
            again = transformers.LlamaForCausalLM.from_pretrained(folder, attn_implementation="entmax15", dtype=torch.float64)
            self.assertGreater((again(self.tokens).logits - learned).abs().max(), 1e-4)
            self.assertEqual(len(ft.load_attention(again, folder)), 6)
            found = again(self.tokens).logits
            torch.testing.assert_close(found, learned, rtol=1e-4, atol=1e-5 * learned.abs().max().item())
            later = self.tokens.clone()
            later[:, 6:] = 5
            self.assertTrue(torch.equal(again(later).logits[:, :6], found[:, :6]))

    def test_the_scale_is_that_of_the_keys_seen(self):
        weights = ft.AttentionWeights("entmax15", length_scale=(1.0, 0.5, 2.0))
        scores = torch.randn(1, 2, 5, 5, dtype=torch.float64)
        p = weights(scores, torch.ones(5, 5, dtype=torch.bool).tril())
        for row in range(5):
            scale = 1 + 0.5 * torch.tensor(max(row + 1.0, 2.0), dtype=torch.float64).log() ** 2
            torch.testing.assert_close(p[0, :, row, :row + 1], ft.entmax15(scores[0, :, row, :row + 1] * scale),
                                       rtol=1e-6, atol=1e-6)
            self.assertEqual(p[0, :, row, row + 1:].abs().sum(), 0)

    def test_half_precision_and_masks_of_numbers(self):
        model = own_decoder("Llama").to(torch.bfloat16)
        self.assertTrue(model(self.tokens).logits.isfinite().all())
        model = decoder("Llama")
        causal = torch.ones(9, 9, dtype=torch.bool).tril().expand(2, 1, 9, 9)
        numbers = torch.zeros(2, 1, 9, 9, dtype=torch.float64).masked_fill(~causal, torch.finfo(torch.float64).min)
        with torch.no_grad():
            expected = model(self.tokens).logits
            for mask in (causal, numbers):
                self.assertTrue(torch.equal(model(self.tokens, attention_mask=mask).logits, expected))

    def test_compiled_and_exported(self):
        """As one graph, and as a program that needs nothing of this package."""
        with torch.no_grad():
            model = own_decoder("Llama", ft.register_attention("sparsemax"))
            compiled = torch.compile(model, backend="aot_eager", fullgraph=True)
            torch.testing.assert_close(compiled(self.tokens).logits, model(self.tokens).logits)
            model = made("Bert", "Model", SIZES, "sparsemax")
            inputs = (self.tokens, self.full)
            program = torch.export.export(model, inputs)
            found = program.module()(*inputs).last_hidden_state
            torch.testing.assert_close(found, model(*inputs).last_hidden_state)
        self.assertNotIn("fenchel", "".join(str(node.target) for node in program.graph.nodes))

    def test_wrong_arguments(self):
        for omega, further, message in (("sparsemax", {"name": "sdpa"}, "name is 'sdpa'"),
                                        ("sparsemax", {"name": "a/b"}, "name is 'a/b'"), ("nonsense", {}, "nonsense"),
                                        ("tsallis:alpha=1.3", {}, "name is 'tsallis:alpha=1.3'.*without any of"),
                                        ({"name": "shannon"}, {}, "name is None"), ("sigmoid", {}, "an Ω over the simplex"),
                                        ("tsallis:alpha=-1", {"name": "mine"}, "alpha"),
                                        ("sparsemax", {"length_scale": (1.0, 2.0)}, "length_scale is .*three numbers"),
                                        ("sparsemax", {"length_scale": (1.0, 2.0, float("nan"))}, "gamma is nan")):
            with self.subTest(omega=omega, **further), self.assertRaisesRegex(ValueError, message):
                ft.register_attention(omega, **further)
        model = decoder("Llama")
        with self.assertRaisesRegex(ValueError, "something to learn"):
            ft.learn_attention(model, alpha=None)
        with self.assertRaisesRegex(ValueError, "strictly between"):
            ft.learn_attention(model, alpha=2.0)
        self.assertFalse(hasattr(model.model.layers[0].self_attn, "fenchel_weights"))
        with self.assertRaisesRegex(ValueError, "learn_attention was not called"):
            ft.load_attention(model, "nowhere")


if __name__ == "__main__":
    unittest.main()
