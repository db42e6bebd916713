// SPDX-License-Identifier: Apache-2.0
// Data for a model that is there already: columns by their names in training, the numbers of its names, its
// values for missing cells.
#pragma once

#include "fenchel/core/task.hpp"
#include "fenchel/data/options.hpp"
#include "fenchel/data/paths.hpp"
#include "fenchel/data/read.hpp"
#include "fenchel/models/model_file.hpp"

namespace fenchel {

/// What the text of a target is for a task: a class is one label, whatever signs it has; label rankings are
/// orders.
TargetText target_text_for(Task task);

/// How rows for a model are read: `options`, with the features, names, target and missing values of its
/// training data; other features are left out and counted. Throws std::invalid_argument for a tagger.
ReadOptions options_for(const AnyModel& model, ReadOptions options = {});

/// read_dataset with these: files may have their columns in another order, and others besides.
Reading read_for(const AnyModel& model, const Paths& paths, ReadOptions options = {});

}  // namespace fenchel
