// SPDX-License-Identifier: Apache-2.0
// Everything: the umbrella header of the library.
#pragma once

#include "fenchel/core/check.hpp"
#include "fenchel/core/domain.hpp"
#include "fenchel/core/report.hpp"
#include "fenchel/core/views.hpp"
#include "fenchel/core/workspace.hpp"
#include "fenchel/losses/batch.hpp"
#include "fenchel/losses/binary.hpp"
#include "fenchel/losses/cost.hpp"
#include "fenchel/losses/divergences.hpp"
#include "fenchel/losses/fenchel_young.hpp"
#include "fenchel/losses/fenchel_youngization.hpp"
#include "fenchel/losses/targets.hpp"
#include "fenchel/polytopes/projections.hpp"
#include "fenchel/regularizers/all.hpp"
#include "fenchel/regularizers/restriction.hpp"
#include "fenchel/regularizers/separable.hpp"
#include "fenchel/regularizers/smooth.hpp"
#include "fenchel/regularizers/spec.hpp"
#include "fenchel/version.hpp"
