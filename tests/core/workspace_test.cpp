// SPDX-License-Identifier: Apache-2.0
// Scratch memory is reused and stops growing; buffers of one frame do not overlap.
#include "fenchel/core/workspace.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <new>

namespace fenchel {
namespace {

TEST(Workspace, ReusesMemoryAndStopsGrowing) {
  Workspace workspace;
  EXPECT_EQ(workspace.capacity(), 0u);
  std::size_t settled = 0;
  for (int pass = 0; pass < 10; ++pass) {
    {
      const Workspace::Frame frame(workspace);
      for (int i = 0; i < 20; ++i) workspace.take<double>(5000);
    }
    if (pass == 1) settled = workspace.capacity();
    if (pass > 1) {
      EXPECT_EQ(workspace.capacity(), settled);
    }
  }
  const Workspace::Frame frame(workspace);
  const double* first = workspace.take<double>(10).data();
  {
    const Workspace::Frame inner(workspace);
    workspace.take<double>(100);
  }
  EXPECT_NE(workspace.take<double>(10).data(), first);
}

TEST(Workspace, BuffersAreSeparateAndAligned) {
  Workspace workspace;
  const Workspace::Frame frame(workspace);
  std::vector<std::span<double>> buffers;
  for (std::size_t i = 0; i < 50; ++i) {
    buffers.push_back(workspace.take<double>(i * 37));
    for (double& entry : buffers.back()) entry = static_cast<double>(i);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffers.back().data()) % 64, 0u);
  }
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    for (const double entry : buffers[i]) ASSERT_EQ(entry, static_cast<double>(i));
  }
}

TEST(Workspace, HugeRequestsAreRefused) {
  Workspace workspace;
  EXPECT_THROW(workspace.take<double>(std::numeric_limits<std::size_t>::max() / 4), std::bad_alloc);
}

}  // namespace
}  // namespace fenchel
