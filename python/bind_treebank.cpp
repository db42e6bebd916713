// SPDX-License-Identifier: Apache-2.0
// Treebanks: columns, heads, and files in CoNLL-U.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "bindings.hpp"
#include "data/text_source.hpp"
#include "fenchel/data/dependency_tree.hpp"
#include "fenchel/data/treebank.hpp"

namespace fenchel::python {
namespace {

using namespace nb::literals;

// Wrong content is a ValueError, and a file that cannot be opened the OSError that Python has for it.
void translate(const std::exception_ptr& thrown, void* /*unused*/) {
  try {
    std::rethrow_exception(thrown);
  } catch (const DataError& error) {
    PyErr_SetString(PyExc_ValueError, error.what());
  } catch (const std::system_error& error) {
    PyErr_SetObject(PyExc_OSError, nb::make_tuple(error.code().value(), error.what()).ptr());
  }
}

nb::list strings_of(const TokenColumn& column) {
  std::vector<nb::str> distinct;
  for (std::size_t i = 0; i < column.strings.size(); ++i) {
    const std::string_view text = column.strings[static_cast<std::int32_t>(i)];
    distinct.emplace_back(text.data(), text.size());
  }
  nb::list result;
  for (const std::int32_t id : column.ids) result.append(distinct[static_cast<std::size_t>(id)]);
  return result;
}

Result<bool> non_projective(const Treebank& bank) {
  const auto result = new_array<bool>({bank.sentences()});
  for (std::size_t s = 0; s < bank.sentences(); ++s) {
    const auto heads = bank.heads_of(s);
    result.data()[s] = heads.front() >= 0 && !is_projective(heads);
  }
  return result;
}

Treebank read_bank(const std::vector<std::string>& paths) {
  const GilRelease release;
  return read_conllu(Paths(paths));
}

void write_bank(const Treebank& bank, const std::string& path) {
  const GilRelease release;
  write_conllu(bank, std::filesystem::path(path));
}

}  // namespace

void bind_treebanks(nb::module_& module) {
  nb::register_exception_translator(translate);
  nb::class_<Treebank>(module, "Treebank", "Sentences of words with their trees.")
      .def_prop_ro("sentences", &Treebank::sentences)
      .def_prop_ro("words", &Treebank::words)
      .def_prop_ro(
          "offsets", [](const Treebank& self) { return copied(self.offsets); }, nb::rv_policy::move)
      .def_prop_ro(
          "heads", [](const Treebank& self) { return copied(self.heads); }, nb::rv_policy::move)
      .def_prop_ro("non_projective", &non_projective, nb::rv_policy::move)
      .def(
          "column",
          [](const Treebank& self, const std::string& name) {
            return strings_of(self.column(treebank_column_called(name)));
          },
          "name"_a)
      .def(
          "with_heads",
          [](const Treebank& self, const Array<std::int32_t>& heads,
             const std::optional<std::vector<std::string>>& deprels) {
            const std::span trees(heads.data(), heads.size());
            return deprels ? with_heads(self, trees, *deprels) : with_heads(self, trees);
          },
          "heads"_a, "deprels"_a.none() = nb::none())
      .def(
          "select",
          [](const Treebank& self, const Array<std::uint64_t>& sentences) {
            return select_sentences(self, {sentences.data(), sentences.size()});
          },
          "sentences"_a)
      .def("text", &conllu_text)
      .def("write", &write_bank, "path"_a);
  module.def("read_conllu", &read_bank, "paths"_a);
}

}  // namespace fenchel::python
