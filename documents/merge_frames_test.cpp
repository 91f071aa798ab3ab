#include "documents/merge_frames.hpp"

#include <random>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "documents/merge_process.hpp"

namespace waybill::documents {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string request_of(const std::vector<LabelFile>& labels) {
  std::string request;
  const auto add = [&](const FrameHead& head) { request.append(head.data(), head.size()); };
  for (const LabelFile& label : labels) {
    add(label_head(label));
    request += label.bytes;
  }
  add(end_of_labels());
  return request;
}

std::vector<LabelFile> read(const std::string& request) {
  std::istringstream stream(request);
  return read_labels(stream);
}

std::string head(char kind, std::size_t number) {
  return {kind, static_cast<char>(number >> 24U), static_cast<char>(number >> 16U),
          static_cast<char>(number >> 8U), static_cast<char>(number)};
}

TEST(MergeFrames, ARequestIsReadAsItWasWritten) {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    std::vector<LabelFile> labels(random() % 5);
    for (LabelFile& label : labels) {
      label.format = random() % 2 == 0 ? FileFormat::pdf : FileFormat::png;
      label.is_test = random() % 2 == 0;
      label.bytes.resize(random() % 400);
      for (char& byte : label.bytes) byte = static_cast<char>(random());
    }
    EXPECT_EQ(read(request_of(labels)), labels);
  }
}

TEST(MergeFrames, AnIncompleteRequestIsRefused) {
  const auto request = request_of({{.bytes = "abc"}, {.format = FileFormat::png, .bytes = "de"}});
  for (std::size_t size = 0; size < request.size(); ++size)
    EXPECT_THROW(read(request.substr(0, size)), BadFrame) << size;
  EXPECT_THROW(read("X" + request.substr(1)), BadFrame);
}

TEST(MergeFrames, ARequestIsLimited) {
  EXPECT_THROW(read(request_of(std::vector<LabelFile>(most_merged_labels + 1))), BadFrame);
  EXPECT_EQ(read(request_of(std::vector<LabelFile>(most_merged_labels))).size(), most_merged_labels);
  EXPECT_THROW(read(head('P', largest_merge + 1)), BadFrame);
  const LabelFile half{.bytes = std::string(largest_merge / 2, ' ')};
  EXPECT_EQ(read(request_of({half, half})).size(), 2U);
  EXPECT_THROW(read(request_of({half, half, {.bytes = " "}})), BadFrame);
}

TEST(MergeFrames, AnAnswerIsReadAsItWasWritten) {
  std::ostringstream stream;
  AnswerWriter writer(stream);
  writer.begin(0);
  writer.refuse(0, "has a damaged label");
  writer.begin(1);
  const MergeAnswer refused{
      .last_begun = 1, .unprintable = {{.label = 0, .reason = "has a damaged label"}}, .pdf = {}};
  EXPECT_EQ(read_answer(stream.str(), 2), refused);
  writer.begin(2);
  writer.finish("%PDF");
  EXPECT_EQ(read_answer(stream.str(), 2).pdf, "%PDF");
  EXPECT_EQ(read_answer(stream.str(), 2).last_begun, 2U);
}

TEST(MergeFrames, AnAnswerIsNotTrusted) {
  const MergeAnswer nothing;
  EXPECT_EQ(read_answer("", 2), nothing);
  EXPECT_EQ(read_answer(head('L', 3), 2), nothing);
  EXPECT_EQ(read_answer(head('U', 2) + head('T', 1) + "a", 2), nothing);
  EXPECT_EQ(read_answer(head('U', 1) + head('T', 2) + "a", 2), nothing);
  EXPECT_EQ(read_answer(head('U', 1) + head('T', 1) + "\n", 2), nothing);
  EXPECT_EQ(read_answer(head('U', 1) + head('T', 201) + std::string(201, 'a'), 2), nothing);
  EXPECT_EQ(read_answer(head('M', 5) + "%PDF", 2), nothing);
  EXPECT_EQ(read_answer(head('?', 0) + head('M', 1) + "a", 2), nothing);
}

TEST(MergeFrames, RandomAnswersAreRead) {
  std::mt19937 random(5);
  for (int round = 0; round < 2000; ++round) {
    std::string answer;
    for (auto frames = random() % 6; frames > 0; --frames)
      answer += head("LUTM?"[random() % 5], random() % 4);
    for (auto bytes = random() % 8; bytes > 0; --bytes) answer += static_cast<char>(random());
    for (const Unprintable& label : read_answer(answer, 3).unprintable) EXPECT_LT(label.label, 3U);
  }
}

TEST(ServeMerge, NamesEachLabelThatCannotBePrinted) {
  std::istringstream request(request_of({{.bytes = "a"}, {.format = FileFormat::png, .bytes = "b"}}));
  std::ostringstream stream;
  serve_merge(request, stream);
  const auto answer = read_answer(stream.str(), 2);
  EXPECT_THAT(answer.unprintable,
              ElementsAre(Unprintable{.label = 0, .reason = "has a damaged label"},
                          Unprintable{.label = 1, .reason = "has a label that is not a PNG"}));
  EXPECT_EQ(answer.pdf, "");
}

}  // namespace
}  // namespace waybill::documents
