// SPDX-License-Identifier: Apache-2.0
// What the tool says on stderr, and streams that are closed, full or read by nobody.
#pragma once

#include <exception>
#include <string>

namespace fenchel::cli {

/// To be called first. A closed stream becomes one that every use of fails, so that no file which is opened
/// later gets its number and what was meant for the stream; a reader that went away and a file that may not
/// grow are errors of the write instead of signals that end the program.
void secure_standard_streams();

/// Whether stdout is a pipe whose reader has closed it, as `head` does when it has seen enough.
bool reader_is_gone() noexcept;

/// Writes a line to stderr. A stderr that takes none is no reason to stop work: nothing is thrown.
void tell(const std::string& line) noexcept;
/// The same without the end of the line.
void tell_part(const std::string& text) noexcept;

/// "error: …", but for a write that failed because the reader of stdout is gone: it has seen enough.
void tell_error(const std::exception& error) noexcept;

/// A line that says what went wrong although work goes on: "warning: …".
void warn(const std::string& what) noexcept;

}  // namespace fenchel::cli
