// SPDX-License-Identifier: Apache-2.0
// Sentences as Python has them: lists of tokens, each with names of attributes or a dictionary of them.
#include <fmt/core.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "training.hpp"

namespace fenchel::python {
namespace {

std::string_view text_of(nb::handle text) {
  Py_ssize_t size = 0;
  const char* bytes = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
  if (!bytes) throw nb::python_error();
  return {bytes, static_cast<std::size_t>(size)};
}

[[noreturn]] void refuse(const std::string& place, nb::handle value, const char* expected) {
  const std::string shown = nb::cast<std::string>(nb::repr(value)).substr(0, 80);
  throw nb::type_error(fmt::format("{} is {}; expected {}", place, shown, expected).c_str());
}

// Fills TaggerData token by token.
class Builder {
 public:
  Builder(TaggerData& data, char joined_by) : data_(data), joined_by_(joined_by) {}

  void sentence(nb::handle tokens, std::size_t number) {
    if (PyUnicode_Check(tokens.ptr()) || PyDict_Check(tokens.ptr()) || !PySequence_Check(tokens.ptr())) {
      refuse(fmt::format("X[{}]", number), tokens, "a list of tokens");
    }
    std::size_t t = 0;
    for (nb::handle token : tokens) {
      place_ = [number, t] { return fmt::format("X[{}][{}]", number, t); };
      attributes(token);
      data_.offsets.push_back(static_cast<std::int64_t>(data_.attributes.size()));
      ++t;
    }
    data_.sentences.push_back(static_cast<std::int64_t>(data_.tokens()));
  }

 private:
  void attributes(nb::handle token) {
    if (PyDict_Check(token.ptr())) {
      prefix_.clear();
      return named(token, 0);
    }
    if (PyUnicode_Check(token.ptr())) return add(text_of(token), 1);
    if (nb::isinstance<nb::bytes>(token) || !PyObject_HasAttrString(token.ptr(), "__iter__")) {
      refuse(place_(), token, "a dictionary of attributes, or a list of their names");
    }
    for (nb::handle name : token) {
      if (!PyUnicode_Check(name.ptr())) refuse(place_(), name, "the name of an attribute");
      add(text_of(name), 1);
    }
  }

  // As CRFsuite's Python package has them: {"word": "the"} is the attribute "word:the" ("word=the" in models
  // of earlier versions), {"length": 3} "length" with the value 3, True and False are 1 and 0, and
  // {"next": {…}} has the attributes inside it with "next:" before their names.
  void named(nb::handle dictionary, int depth) {
    constexpr int deepest = 20;  // a dictionary that contains itself has no end
    if (depth > deepest) refuse(place_(), dictionary, "dictionaries nested less deeply");
    for (auto [key, value] : nb::borrow<nb::dict>(dictionary)) {
      if (!PyUnicode_Check(key.ptr())) refuse(place_(), key, "the name of an attribute");
      const std::size_t before = prefix_.size();
      prefix_ += text_of(key);
      if (PyDict_Check(value.ptr())) {
        prefix_ += ':';
        named(value, depth + 1);
      } else {
        entry(value);
      }
      prefix_.resize(before);
    }
  }

  void entry(nb::handle value) {
    if (PyUnicode_Check(value.ptr())) {
      with(joined_by_, text_of(value));
    } else if (PyBool_Check(value.ptr())) {
      add(prefix_, value.is(Py_True) ? 1 : 0);
    } else if (PyList_Check(value.ptr()) || PyTuple_Check(value.ptr()) || PyAnySet_Check(value.ptr())) {
      for (nb::handle name : value) {
        if (!PyUnicode_Check(name.ptr())) refuse(place_() + "['" + prefix_ + "']", name, "a text");
        with(':', text_of(name));
      }
    } else {
      const double number = PyFloat_AsDouble(value.ptr());
      if (number == -1 && PyErr_Occurred()) {
        PyErr_Clear();
        refuse(place_() + "['" + prefix_ + "']", value, "a text, a number, True or False");
      }
      if (!std::isfinite(static_cast<float>(number))) {
        throw std::invalid_argument(
            fmt::format("{}['{}'] is {}; values must be finite", place_(), prefix_, number));
      }
      add(prefix_, static_cast<float>(number));
    }
  }

  void with(char separator, std::string_view text) {
    const std::size_t before = prefix_.size();
    prefix_ += separator;
    prefix_ += text;
    add(prefix_, 1);
    prefix_.resize(before);
  }

  void add(std::string_view name, float value) {
    if (value != 1 && data_.values.empty()) data_.values.assign(data_.attributes.size(), 1);
    const bool valued = value != 1 || !data_.values.empty();
    data_.attributes.push_back(data_.attribute_names.add(name));
    if (valued) data_.values.push_back(value);
  }

  TaggerData& data_;
  char joined_by_;  // the name of an attribute and its text
  std::string prefix_;
  std::function<std::string()> place_;
};

// The label of the next token: a text, or a dictionary of texts and their probabilities.
void add_label(TaggerData& data, nb::handle label, const std::string& place) {
  if (PyUnicode_Check(label.ptr())) return data.add_label(data.label_names.add(text_of(label)));
  if (!PyDict_Check(label.ptr())) refuse(place, label, "a text, or a dictionary of texts and probabilities");
  std::vector<LabelShare> distribution;
  for (auto [name, probability] : nb::borrow<nb::dict>(label)) {
    if (!PyUnicode_Check(name.ptr())) refuse("a label of " + place, name, "a text");
    const double number = PyFloat_AsDouble(probability.ptr());
    if (number == -1 && PyErr_Occurred()) {
      PyErr_Clear();
      refuse("a probability of " + place, probability, "a number");
    }
    distribution.push_back({data.label_names.add(text_of(name)), number});
  }
  data.add_label(place, std::move(distribution));
}

void add_labels(TaggerData& data, nb::handle labels) {
  std::size_t s = 0;
  for (nb::handle sentence : labels) {
    if (s >= data.sentence_count()) break;
    if (PyUnicode_Check(sentence.ptr()) || !PySequence_Check(sentence.ptr())) {
      refuse(fmt::format("y[{}]", s), sentence, "a list of labels");
    }
    std::size_t t = 0;
    for (nb::handle label : sentence) add_label(data, label, fmt::format("y[{}][{}]", s, t++));
    if (static_cast<std::int64_t>(data.labels.size()) != data.sentences[s + 1]) {
      throw std::invalid_argument(fmt::format("y[{}] has {} labels; X[{}] has {} tokens", s,
                                              nb::len(sentence), s,
                                              data.sentences[s + 1] - data.sentences[s]));
    }
    ++s;
  }
  if (data.labels.size() != data.tokens()) {
    throw std::invalid_argument(
        fmt::format("y says that it has {} sentences, and gives {}", data.sentence_count(), s));
  }
}

// The cells of one sentence; all tokens of the data have the same number of columns.
class Cells {
 public:
  void read(nb::handle tokens, std::size_t number) {
    if (PyUnicode_Check(tokens.ptr()) || PyDict_Check(tokens.ptr()) || !PySequence_Check(tokens.ptr())) {
      refuse(fmt::format("X[{}]", number), tokens, "a list of tokens");
    }
    cells_.clear();
    kept_.clear();
    std::size_t t = 0;
    for (nb::handle token : tokens) read_token(token, fmt::format("X[{}][{}]", number, t++));
  }
  std::size_t columns() const { return columns_; }
  TokenGrid grid() const { return {cells_, columns_}; }

 private:
  void read_token(nb::handle token, const std::string& place) {
    const std::size_t before = cells_.size();
    if (PyUnicode_Check(token.ptr())) {
      add(token);
    } else {
      if (!PyList_Check(token.ptr()) && !PyTuple_Check(token.ptr()))
        refuse(place, token, "a word, or a list of the texts in its columns");
      for (nb::handle cell : token) {
        if (!PyUnicode_Check(cell.ptr())) refuse("a column of " + place, cell, "a text");
        add(cell);
      }
    }
    const std::size_t count = cells_.size() - before;
    if (columns_ == 0) columns_ = count;
    if (count != columns_ || count == 0) {
      throw std::invalid_argument(
          fmt::format("{} has {} columns; expected {}", place, count, std::max<std::size_t>(columns_, 1)));
    }
  }

  void add(nb::handle cell) {
    kept_.push_back(nb::borrow(cell));  // its text may not go
    cells_.push_back(text_of(cell));
  }

  std::vector<std::string_view> cells_;
  std::vector<nb::object> kept_;
  std::size_t columns_ = 0;
};

void add_all_labels(TaggerData& data, const nb::object& labels, std::size_t sentences) {
  if (labels.is_none()) return;
  if (nb::len(labels) != sentences) {
    throw std::invalid_argument(fmt::format("y has {} sentences; X has {}", nb::len(labels), sentences));
  }
  add_labels(data, labels);
}

}  // namespace

std::pair<std::shared_ptr<TaggerData>, std::size_t> token_sentences_of(
    const nb::sequence& sentences, const nb::object& labels,
    FunctionRef<FeatureTemplates(std::size_t columns)> templates) {
  Cells cells;
  std::optional<FeatureTemplates> chosen;
  std::optional<AttributeBuilder> builder;
  std::size_t s = 0, empty = 0;  // sentences without tokens before any has some
  for (nb::handle sentence : sentences) {
    cells.read(sentence, s++);
    if (!builder && cells.columns() == 0) {
      ++empty;
      continue;
    }
    if (!builder) {
      chosen = templates(cells.columns());
      builder.emplace(*chosen);
      for (; empty > 0; --empty) builder->add({{}, cells.columns()}, {});
    }
    builder->add(cells.grid(), {});
  }
  auto data = std::make_shared<TaggerData>(builder ? builder->take() : TaggerData());
  for (; empty > 0; --empty) data->sentences.push_back(0);
  if (chosen) {
    data->templates = chosen->text();
    data->clusters = chosen->clusters();
  }
  add_all_labels(*data, labels, s);
  return {std::move(data), cells.columns()};
}

std::shared_ptr<TaggerData> sentences_of(const nb::sequence& sentences, const nb::object& labels,
                                         char joined_by) {
  auto data = std::make_shared<TaggerData>();
  Builder builder(*data, joined_by);
  std::size_t s = 0;
  for (nb::handle sentence : sentences) builder.sentence(sentence, s++);
  add_all_labels(*data, labels, s);
  return data;
}

}  // namespace fenchel::python
