#include "storage/runs/step_progress.hpp"

#include <stdexcept>

#include <gtest/gtest.h>

namespace waybill::storage {
namespace {

TEST(StepProgress, IsReadAsItWasWritten) {
  const StepProgress wait{.number = 3,
                          .type = "wait",
                          .goes_on = true,
                          .next = "webhook",
                          .attempts_before = 4,
                          .started_at = parse_timestamp("2026-11-20T05:45:12.345Z"),
                          .until = parse_timestamp("2026-11-21T05:45:12.345Z"),
                          .results = R"([{"number":1,"error":"a \"quoted\" sentence"}])"};
  const auto read = parse_progress(to_text(wait));
  EXPECT_EQ(read->number, 3);
  EXPECT_EQ(read->stored, 3);
  EXPECT_EQ(read->type, "wait");
  EXPECT_TRUE(read->goes_on);
  EXPECT_EQ(read->next, "webhook");
  EXPECT_EQ(read->attempts_before, 4);
  EXPECT_EQ(read->started_at, wait.started_at);
  EXPECT_EQ(read->until, wait.until);
  EXPECT_EQ(read->results, wait.results);
}

TEST(StepProgress, OfAWaitForAnEventKeepsTheEventsThatAreOver) {
  const StepProgress wait{
      .type = "wait", .awaits = true, .watch_after = 9'007'199'254'740'993U, .looked_to = 12};
  const auto read = parse_progress(to_text(wait));
  EXPECT_TRUE(read->awaits);
  EXPECT_EQ(read->watch_after, wait.watch_after);
  EXPECT_EQ(read->looked_to, 12U);
  EXPECT_EQ(to_text(StepProgress{}).find("lookedTo"), std::string::npos)
      << "earlier versions read other waits";
}

TEST(StepProgress, OfAReplayKeepsItsFirstStep) {
  EXPECT_EQ(parse_progress(to_text(StepProgress{.number = 3, .first = 2}))->first, 2);
  EXPECT_EQ(parse_progress(to_text(StepProgress{.number = 3}))->first, 0);
  EXPECT_EQ(to_text(StepProgress{}).find("from"), std::string::npos) << "of no replay";
}

TEST(StepProgress, KeepsAllDigitsOfTheNumbersOfAnswers) {
  const std::string results =
      R"([{"number":1,"answer":{"a":12345678901234.56789,"b":[1.00000000000000000001,19.99,0.1]}}])";
  EXPECT_EQ(parse_progress(to_text(StepProgress{.results = results}))->results, results);
}

TEST(StepProgress, HoldsTheDeepestAnswer) {
  const std::string results =
      R"([{"number":1,"answer":{"a":)" + std::string(29, '[') + std::string(29, ']') + "}}]";
  EXPECT_EQ(parse_progress(to_text(StepProgress{.results = results}))->results, results);
}

TEST(StepProgress, AnUnreadableTextIsRefused) {
  for (const char* const text : {"", "[]", "{}", R"({"number": 1})"})
    EXPECT_THROW(parse_progress(text), std::invalid_argument) << text;
}

}  // namespace
}  // namespace waybill::storage
