// SPDX-License-Identifier: Apache-2.0
// The one list of regularizers. The tool's names, the bindings, the property tests, the benchmarks and the
// tables of the documentation all iterate it: adding an Ω takes its files and one line here.
#pragma once

#include "fenchel/core/spec.hpp"
#include "fenchel/regularizers/argmax.hpp"
#include "fenchel/regularizers/bregman.hpp"
#include "fenchel/regularizers/combinators.hpp"
#include "fenchel/regularizers/conic.hpp"
#include "fenchel/regularizers/entropic.hpp"
#include "fenchel/regularizers/map.hpp"
#include "fenchel/regularizers/marginal.hpp"
#include "fenchel/regularizers/maximum_entropy.hpp"
#include "fenchel/regularizers/norm.hpp"
#include "fenchel/regularizers/one_vs_all.hpp"
#include "fenchel/regularizers/pairwise_hinge.hpp"
#include "fenchel/regularizers/poisson.hpp"
#include "fenchel/regularizers/relu.hpp"
#include "fenchel/regularizers/renyi.hpp"
#include "fenchel/regularizers/shannon.hpp"
#include "fenchel/regularizers/sigmoid.hpp"
#include "fenchel/regularizers/smoothed_paths.hpp"
#include "fenchel/regularizers/sparse_sigmoid.hpp"
#include "fenchel/regularizers/sparsemap.hpp"
#include "fenchel/regularizers/squared.hpp"
#include "fenchel/regularizers/squared_norm.hpp"
#include "fenchel/regularizers/structured_sparsemax.hpp"
#include "fenchel/regularizers/tsallis.hpp"
#include "fenchel/regularizers/tsallis_sigmoid.hpp"

namespace fenchel {

/// Every Ω with a name.
using AllRegularizers = TypeList<Squared, Argmax, Shannon, Tsallis, Norm, SquaredNorm, Renyi, PairwiseHinge,
                                 PairwiseSmoothedHinge, PairwiseSquaredHinge, Relu, Poisson, Sigmoid,
                                 SparseSigmoid, TsallisSigmoid, OneVsAll, Map, Marginal, SparseMap, Entropic,
                                 Bregman, StructuredSparsemax, SmoothedPaths, MaximumEntropy, Conic>;

}  // namespace fenchel
