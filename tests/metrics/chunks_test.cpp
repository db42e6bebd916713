// SPDX-License-Identifier: Apache-2.0
#include "fenchel/metrics/chunks.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace fenchel::metrics {
namespace {

using Labels = std::vector<std::string_view>;
using Chunks = std::vector<Chunk>;

TEST(Chunks, Schemes) {
  const Chunks expected{{0, 1, "NP"}, {2, 2, "NP"}, {4, 5, "VP"}};
  EXPECT_EQ(chunks(Labels{"I-NP", "I-NP", "B-NP", "O", "I-VP", "I-VP"}), expected);  // IOB1
  EXPECT_EQ(chunks(Labels{"B-NP", "I-NP", "B-NP", "O", "B-VP", "I-VP"}), expected);  // IOB2
  EXPECT_EQ(chunks(Labels{"B-NP", "E-NP", "S-NP", "O", "B-VP", "E-VP"}), expected);  // IOBES
  EXPECT_EQ(chunks(Labels{"B-NP", "L-NP", "U-NP", "O", "B-VP", "L-VP"}), expected);  // BILOU
}

TEST(Chunks, Irregular) {
  EXPECT_EQ(chunks(Labels{"B-NP", "I-VP", "I-VP"}), (Chunks{{0, 0, "NP"}, {1, 2, "VP"}}));
  EXPECT_EQ(chunks(Labels{"E-NP", "I-NP"}), (Chunks{{0, 0, "NP"}, {1, 1, "NP"}}));
  EXPECT_EQ(chunks(Labels{"B-A-B", "I-A-B"}), (Chunks{{0, 1, "A-B"}}));
  EXPECT_EQ(chunks(Labels{"B", "I", "O", "S"}), (Chunks{{0, 1, ""}, {3, 3, ""}}));
  EXPECT_EQ(chunks(Labels{"name", "name", "O"}), (Chunks{{0, 1, "name"}}));
  EXPECT_TRUE(chunks(Labels{}).empty());
}

TEST(Chunks, Report) {
  const Labels truth{"B-NP", "I-NP", "O", "B-VP", "B-NP", "I-NP"};
  const Labels predicted{"B-NP", "I-NP", "B-PP", "B-VP", "B-NP", "O"};
  const std::vector<std::int64_t> sentences{0, 3, 3, 6};
  const ChunkReport report = evaluate_chunks(truth, predicted, sentences);
  EXPECT_EQ(report.all, (Counts{2, 2, 1}));
  EXPECT_EQ(report.types.at("NP"), (Counts{1, 1, 1}));
  EXPECT_EQ(report.types.at("VP"), (Counts{1, 0, 0}));
  EXPECT_EQ(report.types.at("PP"), (Counts{0, 1, 0}));
  EXPECT_DOUBLE_EQ(report.overall().precision, 0.5);
  EXPECT_DOUBLE_EQ(report.overall().recall, 2.0 / 3);
  EXPECT_DOUBLE_EQ(report.token_accuracy(), 4.0 / 6);
}

TEST(Chunks, SentencesEndChunks) {
  const Labels labels{"I-NP", "I-NP"};
  EXPECT_EQ(evaluate_chunks(labels, labels, std::vector<std::int64_t>{0, 1, 2}).all.true_positives, 2U);
  EXPECT_EQ(evaluate_chunks(labels, labels, std::vector<std::int64_t>{0, 2}).all.true_positives, 1U);
  EXPECT_THROW(evaluate_chunks(labels, labels, std::vector<std::int64_t>{0, 1}), std::invalid_argument);
  EXPECT_THROW(evaluate_chunks(labels, Labels{}, std::vector<std::int64_t>{0, 2}), std::invalid_argument);
  EXPECT_EQ(evaluate_chunks({}, {}, std::vector<std::int64_t>{0}).token_accuracy(), 0);
}

}  // namespace
}  // namespace fenchel::metrics
