// SPDX-License-Identifier: Apache-2.0
// A data set in one line of text, for messages and for checkpoints.
#include <fmt/core.h>

#include "core/checksum.hpp"
#include "fenchel/core/dataset.hpp"

namespace fenchel {

std::string fingerprint(const Dataset& data) {
  Checksum sum;
  data.x.visit([&](const auto& x) {
    for (std::size_t i = 0; i < x.rows(); ++i) {
      if (x.sparse()) {
        sum.add(x.sparse_rows().indices(i));
        sum.add(x.sparse_rows().values(i));
      } else {
        sum.add(x.dense_rows().row(i));
      }
    }
  });
  sum.add(data.labels.names);
  sum.add(data.labels.offsets);
  sum.add(data.labels.indices);
  sum.add(data.labels.weights);
  if (!data.labels.places.empty()) sum.add(data.labels.places);
  sum.add(data.values.entries());
  sum.add(data.queries);
  sum.add(data.weights);
  return fmt::format("{} rows, {} features, {:016x}", data.rows(), data.x.cols(), sum.value());
}

}  // namespace fenchel
