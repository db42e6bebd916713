// SPDX-License-Identifier: Apache-2.0
#include "fenchel/data/svmlight.hpp"

#include <algorithm>
#include <exception>
#include <limits>
#include <stdexcept>
#include <utility>

#include "core/parallel.hpp"
#include "data/readers.hpp"
#include "data/svmlight_rows.hpp"

namespace fenchel {
namespace {

// Chunks per thread and round: more than one evens out their different costs.
constexpr std::size_t chunks_a_thread = 2;

IndexRange index_range(const ReadOptions& options) {
  IndexRange range;
  range.first = options.index_base == IndexBase::one ? 1 : 0;
  range.last = std::numeric_limits<std::int32_t>::max() - 1;
  range.features = options.features;
  range.drop_beyond = options.drop_beyond;
  if (options.features > 0) {
    // Without a known base, an index equal to the number of features is judged at the end.
    const std::size_t last = options.features - (options.index_base == IndexBase::zero ? 1 : 0);
    range.last = std::min(range.last, static_cast<std::int64_t>(last));
  }
  return range;
}

/// Reads a source chunk by chunk and appends its rows.
template <Real T>
class SvmlightFile {
 public:
  SvmlightFile(const ReadOptions& options, SvmlightRows<T>& rows)
      : range_(index_range(options)), rows_(rows), threads_(resolve_threads(options.threads)) {
    const std::size_t slots = threads_ == 1 ? 1 : chunks_a_thread * static_cast<std::size_t>(threads_);
    chunks_.resize(slots);
    blocks_.resize(slots);
    rows_.set_slots(slots);
  }

  void read(TextSource& source) {
    while (read_some(source)) {
    }
  }

  /// Parses the next chunks; false at the end of the text.
  bool read_some(TextSource& source) {
    std::size_t count = 0;
    std::exception_ptr failure;  // reported after any error in earlier lines
    try {
      while (count < chunks_.size() && source.next_chunk(chunks_[count])) ++count;
    } catch (...) {
      failure = std::current_exception();
    }
    for_each_block(count, 1, threads_, [&](std::size_t first, std::size_t last) {
      for (std::size_t k = first; k < last; ++k)
        parse_svmlight(chunks_[k], source.name(), range_, blocks_[k]);
    });
    for (std::size_t k = 0; k < count; ++k) rows_.append(k, blocks_[k], source.name());
    if (failure) std::rethrow_exception(failure);
    return count > 0;
  }

 private:
  IndexRange range_;
  SvmlightRows<T>& rows_;
  int threads_;
  std::vector<TextChunk> chunks_;
  std::vector<SvmlightBlock<T>> blocks_;
};

template <Real T>
Reading read_typed(const std::vector<std::string>& files, TextSource* first, const ReadOptions& options) {
  SvmlightRows<T> rows(options);
  SvmlightFile<T> reader(options, rows);
  read_files(reader, files, first);
  return rows.finish();
}

}  // namespace

Reading read_svmlight_files(const std::vector<std::string>& files, TextSource* first,
                            const ReadOptions& options) {
  return options.single ? read_typed<float>(files, first, options)
                        : read_typed<double>(files, first, options);
}

Dataset read_svmlight(const Paths& paths, const ReadOptions& options) {
  return read_format(DataFormat::svmlight, paths, options);
}

struct SvmlightStream::State {
  State(TextSource&& source, const ReadOptions& options) : options(options), source(std::move(source)) {}

  template <Real T>
  bool next(Dataset& out) {
    for (;;) {
      SvmlightRows<T> rows(options);
      SvmlightFile<T> reader(options, rows);
      if (!reader.read_some(source)) return false;
      Reading reading = rows.finish();
      if (reading.data.rows() == 0) continue;  // comments only
      dropped = reading.dropped;
      out = std::move(reading.data);
      out.source = source.name();
      return true;
    }
  }

  ReadOptions options;
  TextSource source;
  std::size_t dropped = 0;
};

SvmlightStream::SvmlightStream(const std::string& path, const ReadOptions& options)
    : SvmlightStream(TextSource(path, TextSource::Pace::eager), options) {}

SvmlightStream::SvmlightStream(TextSource&& source, const ReadOptions& options) {
  if (options.index_base == IndexBase::automatic || options.features == 0) {
    throw std::invalid_argument("index_base and features must be given: a stream cannot be read twice");
  }
  state_ = std::make_unique<State>(std::move(source), options);
  state_->options.storage = Storage::sparse;
  state_->options.threads = 1;
}

SvmlightStream::~SvmlightStream() = default;
SvmlightStream::SvmlightStream(SvmlightStream&&) noexcept = default;
SvmlightStream& SvmlightStream::operator=(SvmlightStream&&) noexcept = default;

std::size_t SvmlightStream::dropped() const { return state_->dropped; }

bool SvmlightStream::next(Dataset& rows) {
  return state_->options.single ? state_->next<float>(rows) : state_->next<double>(rows);
}

}  // namespace fenchel
