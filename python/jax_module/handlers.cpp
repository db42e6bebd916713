// SPDX-License-Identifier: Apache-2.0
// The extension module fenchel._jax: one handler of XLA's foreign function interface, through which
// programs of JAX on the CPU reach the library. The library itself is in _core, which hands over a function
// (foreign.hpp), and checks sizes; buffers are not copied, and their types are checked here.
#include <nanobind/nanobind.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "../foreign.hpp"
#include "xla/ffi/api/ffi.h"

namespace fenchel::python {
namespace {

namespace nb = nanobind;
namespace ffi = xla::ffi;

ForeignFunction offered = nullptr;

ffi::Error refused(std::string message) {
  return ffi::Error::InvalidArgument("fenchel: " + std::move(message));
}

// The first argument is rows of `axes` axes, the others go with them; results are of its type.
ffi::Error call_core(ffi::RemainingArgs arguments, ffi::RemainingRets results, std::string_view operation,
                     std::string_view text, double number, std::int64_t whole, std::int64_t axes) {
  ForeignCall call{.operation = operation, .text = text, .number = number, .whole = whole};
  call.inputs = arguments.size();
  call.outputs = results.size();
  if (call.inputs == 0 || call.inputs > call.in.size() || call.outputs > call.out.size()) {
    return refused("a call has one or two arrays, and at most two results");
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const auto given = arguments.get<ffi::AnyBuffer>(i);
    if (given.has_error()) return given.error();
    const auto dimensions = given->dimensions();
    call.in_sizes.at(i) = given->element_count();
    if (i == 0) {
      if (given->element_type() != ffi::F32 && given->element_type() != ffi::F64) {
        return refused("rows are neither float nor double");
      }
      call.single = given->element_type() == ffi::F32;
      const auto outer = static_cast<std::int64_t>(dimensions.size()) - axes;
      if (axes < 1 || outer < 0) return refused("rows have too few axes");
      call.rows = call.columns = 1;
      for (std::size_t k = 0; k < dimensions.size(); ++k) {
        (static_cast<std::int64_t>(k) < outer ? call.rows : call.columns) *=
            static_cast<std::size_t>(dimensions[k]);
      }
      call.last = static_cast<std::size_t>(dimensions.back());
    }
    if (i > 0 && given->element_type() == ffi::S32) {
      call.labels = static_cast<const std::int32_t*>(given->untyped_data());
    } else if (given->element_type() != (call.single ? ffi::F32 : ffi::F64)) {
      return refused("arrays are of different types");
    } else {
      call.in.at(i) = given->untyped_data();
    }
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    auto result = results.get<ffi::AnyBuffer>(i);
    if (result.has_error()) return result.error();
    if ((*result)->element_type() != (call.single ? ffi::F32 : ffi::F64)) {
      return refused("a result is of another type than the rows");
    }
    call.out_sizes.at(i) = (*result)->element_count();
    call.out.at(i) = (*result)->untyped_data();
  }
  std::string error;
  return offered(call, error) ? ffi::Error::Success() : refused(std::move(error));
}

XLA_FFI_DEFINE_HANDLER(handler, call_core,
                       ffi::Ffi::Bind()
                           .RemainingArgs()
                           .RemainingRets()
                           .Attr<std::string_view>("operation")
                           .Attr<std::string_view>("text")
                           .Attr<double>("number")
                           .Attr<std::int64_t>("whole")
                           .Attr<std::int64_t>("axes"));

}  // namespace
}  // namespace fenchel::python

NB_MODULE(_jax, module) {
  namespace nb = nanobind;
  using namespace fenchel::python;
  const nb::object core = nb::module_::import_("fenchel._core");
  const nb::capsule given = nb::cast<nb::capsule>(core.attr("_foreign"));
  if (std::string_view(given.name()) != foreign_capsule) {
    throw std::runtime_error("fenchel._core and fenchel._jax are of different versions");
  }
  offered = *static_cast<const ForeignFunction*>(given.data());
  module.attr("handler") = nb::capsule(reinterpret_cast<void*>(+handler), "xla._CUSTOM_CALL_TARGET");
}
