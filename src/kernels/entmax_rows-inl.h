// SPDX-License-Identifier: Apache-2.0
// α-entmax of a block of rows, for any power: short rows in lanes, long rows through their survivors.
#if defined(FENCHEL_KERNELS_ENTMAX_ROWS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef FENCHEL_KERNELS_ENTMAX_ROWS_INL_H
#undef FENCHEL_KERNELS_ENTMAX_ROWS_INL_H
#else
#define FENCHEL_KERNELS_ENTMAX_ROWS_INL_H
#endif

#include <optional>
#include <type_traits>

#include "kernels/lane_rows-inl.h"
#include "kernels/streaming-inl.h"
#include "kernels/survivors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fenchel::kernels::HWY_NAMESPACE {

/// Rows up to this length run in lanes; for longer ones it is faster to filter first than to sweep the whole
/// row at every step. The more a power costs, the shorter the limit.
template <class T, class Power>
inline constexpr std::size_t lane_cols = (std::is_same_v<Power, RealPower> ? 256 : 512) / sizeof(T);

/// memset of a few KiB takes the microcoded path, which starts slowly.
template <class T>
FENCHEL_INLINE void zero_fill(T* to, std::size_t count) {
  std::size_t i = 0;
  for (; i + lanes<T> <= count; i += lanes<T>) store(hn::Zero(Tag<T>()), to + i);
  for (; i < count; ++i) to[i] = T{0};
}

/// Writes the survivors' probabilities into rows that are zero elsewhere. A streamed row is composed in a
/// scratch row that is zero between rows.
template <class T>
class SparseWriter {
 public:
  SparseWriter(MatrixView<T> out, Workspace& workspace) : cols_(out.cols()) {
    if (is_streaming(out)) stream_.emplace(out, workspace);
  }

  template <class Row>
  FENCHEL_INLINE void write(const Row& survivors, double scale, T* to) {
    const auto* const index = survivors.index();
    const double* const value = survivors.values();
    T* const row = stream_ ? stream_->begin(to) : to;
    if (survivors.is_dense()) {
      for (std::size_t i = 0; i < cols_; ++i) row[i] = static_cast<T>(value[i] * scale);
    } else {
      if (!stream_) zero_fill(row, cols_);
      for (std::size_t i = 0; i < survivors.size(); ++i) row[index[i]] = static_cast<T>(value[i] * scale);
    }
    if (!stream_) return;
    stream_->send(cols_, T{1});
    stream_->end();
    if (survivors.is_dense()) return zero_fill(row, cols_);
    for (std::size_t i = 0; i < survivors.size(); ++i) row[index[i]] = T{0};
  }

 private:
  std::size_t cols_;
  std::optional<StreamWriter<T>> stream_;
};

template <class T, class Power>
std::size_t entmax_long(const Power& power, MatrixView<const T> theta, MatrixView<T> out,
                        RowSummaries summaries) {
  Workspace& workspace = thread_workspace();
  const Workspace::Frame frame(workspace);
  Survivors<T, Power> survivors(power, theta.cols(), workspace);
  SparseWriter<T> writer(out, workspace);
  const std::size_t ahead = std::min(filter_block<T>, theta.stride());
  for (std::size_t row = 0; row < theta.rows(); ++row) {
    if (!survivors.collect(theta.data() + row * theta.stride(), ahead)) return row;
    const double tau = survivors.solve();
    const ThresholdSums sums = survivors.raise(tau);
    if (summaries.wanted()) {
      summaries.shift[row] = static_cast<double>(survivors.top());
      summaries.conjugate[row] = hn::GetLane(tsallis_conjugate(power, broadcast(tau), broadcast(sums.above)));
    }
    writer.write(survivors, 1.0 / sums.mass, out.data() + row * out.stride());
  }
  return theta.rows();
}

template <class T, class Power>
std::size_t entmax_any(const Power& power, MatrixView<const T> theta, MatrixView<T> out,
                       RowSummaries summaries) {
  if (theta.rows() == 0 || theta.cols() == 0) return 0;
  if (theta.cols() <= lane_cols<T, Power>) return entmax_lanes(power, theta, out, summaries);
  return entmax_long(power, theta, out, summaries);
}

}  // namespace fenchel::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
