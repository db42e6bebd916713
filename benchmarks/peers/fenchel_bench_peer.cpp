// SPDX-License-Identifier: Apache-2.0
// Our side of the side-by-side runs. Each line of stdin asks for one measurement,
//   OPERATION ALPHA ROWS COLS INPUT SIGMA REPEATS
// with OPERATION one of predict, summaries (predict with them), value_gradient, memcpy, stream; the answer is
// a line of JSON with the minimum and the median time of one pass over the batch, in nanoseconds of this
// thread's processor time, as the driver measures the peer.
#include <cstring>
#include <functional>
#include <iostream>
#include <memory>
#include <sstream>

#include "copies.hpp"
#include "inputs.hpp"
#include "measure.hpp"

namespace {

using fenchel::bench::Batch;

struct Request {
  std::string operation;
  double alpha = 1.0;
  std::size_t rows = 0;
  std::size_t cols = 0;
  std::string input;
  double sigma = 1.0;
  int repeats = 1;
};

std::function<void()> operation_of(const Request& request, Batch<float>& batch) {
  const std::size_t bytes = batch.theta.size() * sizeof(float);
  if (request.operation == "value_gradient") {
    return [&] { fenchel::bench::value_and_gradient(request.alpha, batch); };
  }
  if (request.operation == "memcpy")
    return [&, bytes] { std::memcpy(batch.out.data(), batch.theta.data(), bytes); };
  if (request.operation == "stream") {
    return [&] { fenchel::bench::stream_copy(batch.theta.data(), batch.theta.size(), batch.out.data()); };
  }
  if (request.operation == "summaries") {
    return [&] {
      fenchel::bench::predict<float>(request.alpha, batch.scores(), batch.result(), batch.summaries());
    };
  }
  return [&] { fenchel::bench::predict<float>(request.alpha, batch.scores(), batch.result()); };
}

}  // namespace

int main() {
  std::string line;
  std::unique_ptr<Batch<float>> batch;
  std::string batch_key;
  while (std::getline(std::cin, line)) {
    Request request;
    std::istringstream fields(line);
    if (!(fields >> request.operation >> request.alpha >> request.rows >> request.cols >> request.input >>
          request.sigma >> request.repeats)) {
      std::cout << "{\"error\": \"expected OPERATION ALPHA ROWS COLS INPUT SIGMA REPEATS\"}" << std::endl;
      continue;
    }
    std::ostringstream key;
    key << request.rows << ' ' << request.cols << ' ' << request.input << ' ' << request.sigma;
    if (key.str() != batch_key) {
      batch.reset();
      batch = std::make_unique<Batch<float>>(request.rows, request.cols, request.input, request.sigma);
      batch_key = key.str();
    }
    const std::vector<double> times = fenchel::bench::measure(operation_of(request, *batch), request.repeats);
    std::cout << "{\"min_ns\": " << times.front() << ", \"median_ns\": " << times[times.size() / 2]
              << ", \"target\": \"" << fenchel::kernels::simd_target() << "\"}" << std::endl;
  }
  return 0;
}
