// SPDX-License-Identifier: Apache-2.0
// What the tool says on stderr, and streams that are closed, full or read by nobody.
#pragma once

#include <exception>
#include <string>

namespace fenchel::cli {

/// To be called first. A closed stream is opened so that every use of it fails: otherwise a file opened later
/// would get its number, and what was meant for the stream. A reader that went away, or a file that may not
/// grow, makes the write fail instead of ending the program by a signal.
void secure_standard_streams();

/// Whether stdout is a pipe whose reader has closed it, as `head` does when it has seen enough.
bool reader_is_gone() noexcept;

/// Writes a line to stderr. Work goes on if stderr cannot be written: nothing is thrown.
void tell(const std::string& line) noexcept;
/// The same without the end of the line.
void tell_part(const std::string& text) noexcept;

/// Writes "error: …", unless a write failed because the reader of stdout is gone: it has seen enough.
void tell_error(const std::exception& error) noexcept;

/// Writes "warning: …": what went wrong although work goes on.
void warn(const std::string& what) noexcept;

}  // namespace fenchel::cli
