// The process that merges labels: it is the program, and it does not survive every label.
#include "documents/merge_process.hpp"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/documents/label_files.hpp"
#include "tests/harness/eventually.hpp"
#include "tests/harness/process.hpp"

namespace waybill::tests {
namespace {

using namespace std::chrono_literals;
using documents::LabelFile;
using documents::MergedLabels;
using documents::Unprintable;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr auto out_of_limits = "has a label that cannot be read with the time and memory for it";

MergedLabels merge(const std::vector<LabelFile>& labels, const documents::MergeLimits& limits = {}) {
  return documents::merge_apart(labels, limits, waybill_binary());
}

/// A label that takes a minute.
std::string endless() { return pdf_with_nested_contents(std::size_t{64} << 10U); }

LabelFile good(int width) { return {.bytes = pdf_of_pages({width})}; }

TEST(MergeProcess, MergesPdfsAndPngsInTheirOrder) {
  const auto merged = merge({good(100),
                             {.format = documents::FileFormat::png, .bytes = png_of(30, 60)},
                             {.bytes = pdf_of_pages({200, 300})}});
  EXPECT_THAT(merged.unprintable, IsEmpty());
  EXPECT_THAT(page_widths(merged.pdf), ElementsAre(100, 288, 200, 300));
}

TEST(MergeProcess, MergesAsManyLabelsAsARequestMayHave) {
  const std::vector<LabelFile> labels(documents::most_merged_labels, good(288));
  EXPECT_EQ(page_widths(merge(labels).pdf).size(), documents::most_merged_labels);
}

TEST(MergeProcess, NamesAllLabelsThatAreRefused) {
  const auto merged = merge({good(100), {.bytes = "x"}, good(100), {.bytes = "y"}});
  EXPECT_EQ(merged.pdf, "");
  EXPECT_THAT(merged.unprintable, ElementsAre(Unprintable{.label = 1, .reason = "has a damaged label"},
                                              Unprintable{.label = 3, .reason = "has a damaged label"}));
}

TEST(MergeProcess, NamesTheLabelThatOverflowsItsStack) {
  const auto merged = merge({good(100), {.bytes = "x"}, {.bytes = deep_pdf(100'000)}, good(100)});
  EXPECT_EQ(merged.pdf, "");
  EXPECT_THAT(merged.unprintable, ElementsAre(Unprintable{.label = 1, .reason = "has a damaged label"},
                                              Unprintable{.label = 2, .reason = out_of_limits}));
}

TEST(MergeProcess, NamesTheLabelThatTakesTooMuchMemory) {
#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
  const auto merged =
      merge({good(100), {.bytes = pdf_with_large_object_stream(std::size_t{1} << 10U)}, good(100)});
  ASSERT_EQ(merged.unprintable.size(), 1U);
  EXPECT_EQ(merged.unprintable[0].label, 1U);
#endif
}

TEST(MergeProcess, NamesTheLabelThatTakesTooMuchProcessorTime) {
  const auto merged = merge({good(100), {.bytes = endless()}}, {.processor_time = 1s});
  EXPECT_THAT(merged.unprintable, ElementsAre(Unprintable{.label = 1, .reason = out_of_limits}));
}

TEST(MergeProcess, IsKilledWhenItsTimeIsOver) {
  const LabelFile label{.bytes = endless()};
  const auto began = std::chrono::steady_clock::now();
  const auto merged = merge({label}, {.processor_time = 60s, .time = 1500ms});
  EXPECT_THAT(merged.unprintable, ElementsAre(Unprintable{.label = 0, .reason = out_of_limits}));
  EXPECT_LT(std::chrono::steady_clock::now() - began, 10s);
}

TEST(MergeProcess, ThatCannotBeStartedIsAnError) {
  EXPECT_THROW(documents::merge_apart({good(100)}, {}, "/no/such/program"), std::system_error);
}

TEST(MergeProcess, ThatIsAnotherProgramIsAnError) {
  EXPECT_THROW(documents::merge_apart({good(100)}, {}, "/bin/true"), std::runtime_error);
}

/// The limits of a process as proc(5) shows them, with single blanks.
std::string limits_of(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/limits");
  std::string text;
  for (std::string word; file >> word;) text += word + ' ';
  return text;
}

TEST(MergeProcess, CanOpenNoFileOrConnectionAndStartNoProcess) {
  // Its input does not end, so it waits for the request.
  Process waiting({"sh", "-c", "sleep 60 | \"$0\" merge-labels --seconds 7", waybill_binary()});
  const AtExit end([&] { waiting.kill_tree(); });
  const auto is_restricted = [&] {
    return std::ranges::any_of(process_tree(waiting.pid()), [](pid_t process) {
      const auto limits = limits_of(process);
      const auto has = [&](std::string_view part) { return limits.find(part) != std::string::npos; };
      return has("Max open files 0 0 ") && has("Max processes 0 0 ") && has("Max cpu time 7 7 ") &&
             has("Max core file size 0 0 ");
    });
  };
  EXPECT_TRUE(eventually(is_restricted));
}

TEST(MergeProcess, RefusesAnIncompleteRequest) {
  const auto refused = run({waybill_binary(), "merge-labels"}, {.standard_input = "P"});
  EXPECT_EQ(refused.status, 1);
  EXPECT_EQ(refused.standard_error, "waybill: the request is not complete\n");
  EXPECT_EQ(refused.standard_output, "");
}

}  // namespace
}  // namespace waybill::tests
