// SPDX-License-Identifier: Apache-2.0
// Structures as lists of entries: svmlight, as far as the first step of a structured predictor.
#include "fenchel/data/svmlight.hpp"
#include "fenchel/training/fit.hpp"
#include "harness.hpp"

namespace fenchel::fuzz {

const Registration structured{{.name = "structured", .run = [](Bytes input) {
                                 const InputFile file(text_of(input));
                                 const FitOptions options{
                                     .task = Task::structured, .polytope = "birkhoff:n=2", .threads = 1};
                                 const auto data = prepare(read_svmlight(file.path()), options);
                                 make_fit(data, options)->algorithm().step();
                               }}};

}  // namespace fenchel::fuzz
