// SPDX-License-Identifier: Apache-2.0
// A row of the result is made a few vectors at a time, which stay in registers while the entries of the
// sparse row go by. With few vectors each multiply-add would wait for the one before, so two entries go side
// by side.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/csr_multiply.cpp"
#include "kernels/simd_targets.hpp"
// The rest is compiled for each instruction set.
#include "kernels/csr_multiply.hpp"
#include "kernels/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fenchel::kernels::HWY_NAMESPACE {

constexpr std::size_t most_vectors = 8;    // of a row of the result, in registers at once
constexpr std::size_t few_vectors = 4;     // up to this many, two entries go side by side
constexpr std::size_t exact_entries = 64;  // entries summed in single precision before they go into double

// Where results go: written after a start, or added in double.
template <class T>
struct Written {
  std::span<const T> start;
  MatrixView<T> out;
};
struct Added {
  MatrixView<double> out;
};

// A sparse row of `size` entries times b, `Count` vectors from column `at` on.
template <std::size_t Count, class D, class T>
FENCHEL_INLINE void add_entries(D d, const std::int32_t* indices, const T* values, std::size_t size,
                                MatrixView<const T> b, std::size_t at, hn::Vec<D> (&sums)[Count]) {
  const std::size_t width = hn::Lanes(d);
  std::size_t e = 0;
  if constexpr (Count <= few_vectors) {
    hn::Vec<D> others[Count];
    for (std::size_t v = 0; v < Count; ++v) others[v] = hn::Zero(d);
    for (; e + 2 <= size; e += 2) {
      const T* one = b.data() + static_cast<std::size_t>(indices[e]) * b.stride() + at;
      const T* two = b.data() + static_cast<std::size_t>(indices[e + 1]) * b.stride() + at;
      const auto first = hn::Set(d, values[e]);
      const auto second = hn::Set(d, values[e + 1]);
      for (std::size_t v = 0; v < Count; ++v) {
        sums[v] = hn::MulAdd(first, hn::LoadU(d, one + v * width), sums[v]);
        others[v] = hn::MulAdd(second, hn::LoadU(d, two + v * width), others[v]);
      }
    }
    for (std::size_t v = 0; v < Count; ++v) sums[v] = hn::Add(sums[v], others[v]);
  }
  for (; e < size; ++e) {
    const T* row = b.data() + static_cast<std::size_t>(indices[e]) * b.stride() + at;
    const auto value = hn::Set(d, values[e]);
    for (std::size_t v = 0; v < Count; ++v)
      sums[v] = hn::MulAdd(value, hn::LoadU(d, row + v * width), sums[v]);
  }
}

template <std::size_t Count, class D, class T>
FENCHEL_INLINE void multiply_columns(D d, const CsrView<T>& a, MatrixView<const T> b, std::size_t at,
                                     const Written<T>& result) {
  const std::size_t width = hn::Lanes(d);
  for (std::size_t i = 0; i < a.rows(); ++i) {
    const auto indices = a.indices(i);
    hn::Vec<D> sums[Count];
    for (std::size_t v = 0; v < Count; ++v) sums[v] = hn::LoadU(d, result.start.data() + at + v * width);
    add_entries<Count>(d, indices.data(), a.values(i).data(), indices.size(), b, at, sums);
    T* to = result.out.data() + i * result.out.stride() + at;
    for (std::size_t v = 0; v < Count; ++v) hn::StoreU(sums[v], d, to + v * width);
  }
}

template <std::size_t Count, class D, class T>
FENCHEL_INLINE void multiply_columns(D d, const CsrView<T>& a, MatrixView<const T> b, std::size_t at,
                                     const Added& result) {
  const std::size_t width = hn::Lanes(d);
  const std::size_t used = std::min(Count * width, result.out.cols() - at);
  HWY_ALIGN T buffer[most_vectors * lanes<T>];
  for (std::size_t i = 0; i < a.rows(); ++i) {
    const auto indices = a.indices(i);
    const T* values = a.values(i).data();
    double* to = result.out.data() + i * result.out.stride() + at;
    for (std::size_t e = 0; e < indices.size(); e += exact_entries) {
      hn::Vec<D> sums[Count];
      for (std::size_t v = 0; v < Count; ++v) sums[v] = hn::Zero(d);
      add_entries<Count>(d, indices.data() + e, values + e, std::min(exact_entries, indices.size() - e), b,
                         at, sums);
      for (std::size_t v = 0; v < Count; ++v) hn::StoreU(sums[v], d, buffer + v * width);
      for (std::size_t c = 0; c < used; ++c) to[c] += static_cast<double>(buffer[c]);
    }
  }
}

template <class D, class T, class Result>
void multiply_vectors(D d, const CsrView<T>& a, MatrixView<const T> b, const Result& result) {
  const std::size_t width = hn::Lanes(d);
  const std::size_t vectors = (b.cols() + width - 1) / width;
  for (std::size_t done = 0; done < vectors;) {
    const std::size_t groups = (vectors - done + most_vectors - 1) / most_vectors;
    const std::size_t count = (vectors - done + groups - 1) / groups;
    const std::size_t at = done * width;
    with_constant<most_vectors>(count,
                                [&](auto number) HWY_ATTR { multiply_columns<number>(d, a, b, at, result); });
    done += count;
  }
}

// Narrow rows use narrow vectors. Widths are padded for 256 bits, so every target may read that far.
template <class T, class Result>
void multiply_any(const CsrView<T>& a, MatrixView<const T> b, const Result& result) {
  if (b.cols() == 0) return;
  if (b.cols() == 1) {
    multiply_vectors(hn::CappedTag<T, 1>(), a, b, result);
  } else if (b.cols() == 2) {
    multiply_vectors(hn::CappedTag<T, 2>(), a, b, result);
  } else if (b.cols() <= 4) {
    multiply_vectors(hn::CappedTag<T, 4>(), a, b, result);
  } else {
    multiply_vectors(Tag<T>(), a, b, result);
  }
}

template <class T>
void multiply_from(const CsrView<T>& a, MatrixView<const T> b, std::span<const T> start, MatrixView<T> out) {
  multiply_any(a, b, Written<T>{start, out});
}
template <class T>
void multiply_add(const CsrView<T>& a, MatrixView<const T> b, MatrixView<double> out) {
  multiply_any(a, b, Added{out});
}

}  // namespace fenchel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fenchel::kernels {

std::size_t padded_width(std::size_t width, std::size_t entry_bytes) {
  const std::size_t lanes = 32 / entry_bytes;
  if (width <= 2) return width;
  if (width <= 4) return 4;
  return (width + lanes - 1) / lanes * lanes;
}

void csr_multiply(const CsrView<float>& a, MatrixView<const float> b, std::span<const float> start,
                  MatrixView<float> out) {
  FENCHEL_DISPATCH(multiply_from<float>)(a, b, start, out);
}
void csr_multiply(const CsrView<double>& a, MatrixView<const double> b, std::span<const double> start,
                  MatrixView<double> out) {
  FENCHEL_DISPATCH(multiply_from<double>)(a, b, start, out);
}
void csr_multiply_add(const CsrView<float>& a, MatrixView<const float> b, MatrixView<double> out) {
  FENCHEL_DISPATCH(multiply_add<float>)(a, b, out);
}
void csr_multiply_add(const CsrView<double>& a, MatrixView<const double> b, MatrixView<double> out) {
  FENCHEL_DISPATCH(multiply_add<double>)(a, b, out);
}

}  // namespace fenchel::kernels
#endif
