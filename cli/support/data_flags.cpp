// SPDX-License-Identifier: Apache-2.0
#include "support/data_flags.hpp"

#include <filesystem>
#include <system_error>

#include "fenchel/data/paths.hpp"

namespace fenchel::cli {

void DataFlags::add(CLI::App& command, const std::string& format_names) {
  constexpr const char* group = "Reading data";
  command
      .add_option(format_names, format,
                  "auto, svmlight, arff, csv, npy, cache, time_series, conll, conllu, crfsuite or ocr")
      ->capture_default_str()
      ->group(group);
  command.add_option("--labels", labels, "ARFF: the XML file that names the labels (else the one beside it)")
      ->group(group);
  command
      .add_option("--target", target,
                  "CSV, ARFF: the target column (else the last); NPY: the file of targets")
      ->group(group);
  command.add_option("--nominal", nominal, "features with names for values: one-hot or ordinal")
      ->check(CLI::IsMember({"one-hot", "ordinal"}))
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--missing", missing,
                  "missing values: error or impute (mean, most frequent; later those of training)")
      ->check(CLI::IsMember({"error", "impute"}))
      ->capture_default_str()
      ->group(group);
  command.add_option("--precision", precision, "of the features: double or single (half the memory)")
      ->check(CLI::IsMember({"double", "single"}))
      ->capture_default_str()
      ->group(group);
  command.add_option("--indices", indices, "svmlight: whether indices begin at 0 or 1 (auto: 0 if one is 0)")
      ->check(CLI::IsMember({"auto", "0", "1"}))
      ->capture_default_str()
      ->group(group);
}

ReadOptions DataFlags::options() const {
  ReadOptions result;
  result.format = format == "auto" ? DataFormat::automatic : format_called(format);
  result.single = precision == "single";
  result.target = target;
  result.labels_file = labels;
  result.nominal = nominal == "ordinal" ? Nominal::ordinal : Nominal::one_hot;
  result.missing = missing == "impute" ? Missing::impute : Missing::error;
  result.threads = threads;
  if (indices != "auto") result.index_base = indices == "0" ? IndexBase::zero : IndexBase::one;
  return result;
}

DataFormat format_of(const std::vector<std::string>& paths, const DataFlags& flags) {
  const DataFormat asked = flags.options().format;
  const std::string first = Paths(paths).files().front();
  std::error_code ignored;
  const bool lasting = std::filesystem::is_regular_file(first, ignored);
  return asked == DataFormat::automatic && lasting ? guess_format(first) : asked;
}

void fill_as_in_training(ReadOptions& options, const std::vector<double>& fill) {
  if (fill.empty() && options.missing == Missing::error) return;
  options.missing = Missing::fill;
  options.fill = fill;
}

void name_as_in_training(ReadOptions& options, const std::vector<std::string>& feature_names,
                         const std::vector<NominalColumn>& nominal) {
  if (!feature_names.empty()) options.nominal_columns = nominal;
}

ReadOptions read_options_for(const DataFlags& flags, const AnyModel& model) {
  ReadOptions options = flags.options();
  options.features = std::visit(
      [](const auto& any) {
        if constexpr (requires { any.features(); }) return any.features();
        return std::size_t{0};
      },
      model);
  options.drop_beyond = true;
  fill_as_in_training(options, head_of(model).fill);
  name_as_in_training(options, head_of(model).feature_names, head_of(model).nominal);
  if (options.index_base == IndexBase::automatic) {
    const auto& provenance = head_of(model).provenance;
    const auto base = provenance.find("indices");
    options.index_base = base != provenance.end() && base->second == "0" ? IndexBase::zero : IndexBase::one;
  }
  return options;
}

}  // namespace fenchel::cli
