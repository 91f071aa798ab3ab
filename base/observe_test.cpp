#include "base/observe.hpp"

#include <set>

#include <gtest/gtest.h>
#include <prometheus/histogram.h>

#include "base/json.hpp"

namespace waybill {
namespace {

using namespace std::string_view_literals;
using testing::internal::CaptureStderr;
using testing::internal::GetCapturedStderr;

class ObserveTest : public testing::Test {
 protected:
  void TearDown() override { configure_logging(LogFormat::text, LogLevel::info); }
};

double metric(std::string_view series_name) {
  const std::string text = "\n" + metrics_text();
  const std::string wanted = "\n" + std::string(series_name) + " ";
  const std::size_t at = text.find(wanted);
  return at == std::string::npos ? -1 : std::stod(text.substr(at + wanted.size()));
}

constexpr std::string_view now = "2026-11-20T05:45:12.345Z";

TEST_F(ObserveTest, ATextLineHasTimeLevelNameAndAttributes) {
  EXPECT_EQ(format_log_line(LogFormat::text, now, LogLevel::info, "worker.lease_lost", {{"shard", 3}}),
            "2026-11-20T05:45:12.345Z INFO worker.lease_lost shard=3");
  EXPECT_EQ(
      format_log_line(LogFormat::text, now, LogLevel::warning, "x.y",
                      {{"a", "plain"}, {"b", "two words"}, {"c", ""}, {"d", 1.5}, {"e", true}, {"f", -7L}}),
      "2026-11-20T05:45:12.345Z WARN x.y a=plain b=\"two words\" c=\"\" d=1.5 e=true f=-7");
}

TEST_F(ObserveTest, AJsonLineIsOneObject) {
  const std::string line = format_log_line(LogFormat::json, now, LogLevel::error, "request.failed",
                                           {{"request_id", "r\"1"}, {"count", 2}, {"ok", false}});
  EXPECT_EQ(line, R"({"ts":"2026-11-20T05:45:12.345Z","level":"error","event":"request.failed",)"
                  R"("request_id":"r\"1","count":2,"ok":false})");
}

TEST_F(ObserveTest, ForeignTextCannotForgeALineOrBreakTheEncoding) {
  const std::string_view evil = "x\n2026 INFO forged\xff\0"sv;
  for (const auto format : {LogFormat::text, LogFormat::json}) {
    const std::string line = format_log_line(format, now, LogLevel::info, "e", {{"error", evil}});
    EXPECT_EQ(line.find('\n'), std::string::npos);
    EXPECT_EQ(line.find('\0'), std::string::npos);
    EXPECT_EQ(line.find('\xff'), std::string::npos);
  }
}

TEST_F(ObserveTest, CountsAndLogs) {
  const double before = metric(R"(waybill_lease_moves_total{move="lost"})");
  CaptureStderr();
  observe(Observable::lease_lost, {{"shard", 3}});
  const std::string logged = GetCapturedStderr();
  EXPECT_NE(logged.find(" WARN worker.lease_lost shard=3\n"), std::string::npos) << logged;
  EXPECT_EQ(metric(R"(waybill_lease_moves_total{move="lost"})"), before + 1);
}

TEST_F(ObserveTest, BelowTheLevelIsCountedAndNotLogged) {
  const double before = metric("waybill_events_matched_total");
  CaptureStderr();
  observe(Observable::events_matched, {}, 250);
  EXPECT_EQ(GetCapturedStderr(), "");
  EXPECT_EQ(metric("waybill_events_matched_total"), before + 250);

  configure_logging(LogFormat::json, LogLevel::debug);
  CaptureStderr();
  observe(Observable::events_matched, {{"events", 250}}, 250);
  const auto line = parse_json(GetCapturedStderr());
  EXPECT_EQ(std::get<json::value>(line).at("event"), "worker.events_matched");
}

TEST_F(ObserveTest, EveryObservableHasANameOfItsOwn) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < observable_count; ++i) {
    const std::string_view name = observable_name(static_cast<Observable>(i));
    EXPECT_NE(name.find('.'), std::string_view::npos) << name;
    names.insert(name);
  }
  EXPECT_EQ(names.size(), observable_count);
}

TEST_F(ObserveTest, GaugesAreSetAndMoved) {
  set_gauge(Gauge::queue_depth, 7);
  add_to_gauge(Gauge::queue_depth, -2);
  EXPECT_EQ(metric("waybill_queue_depth"), 5);
}

TEST_F(ObserveTest, HistogramsKeepTheirSeries) {
  record(Histogram::match_batch_events, 250);
  EXPECT_EQ(metric("waybill_match_batch_events_count"), 1);
  auto& one = series(Histogram::statement_seconds, "orders.get");
  EXPECT_EQ(&one, &series(Histogram::statement_seconds, "orders.get"));
  one.Observe(0.002);
  EXPECT_EQ(metric(R"(waybill_statement_seconds_count{statement="orders.get"})"), 1);
  EXPECT_EQ(metric(R"(waybill_statement_seconds_bucket{statement="orders.get",le="0.0025"})"), 1);
}

TEST_F(ObserveTest, NamesOfLevelsAndFormatsAreRead) {
  EXPECT_EQ(parse_log_level("warning"), LogLevel::warning);
  EXPECT_FALSE(parse_log_level("loud"));
  EXPECT_EQ(parse_log_format("json"), LogFormat::json);
  EXPECT_FALSE(parse_log_format("xml"));
}

}  // namespace
}  // namespace waybill
