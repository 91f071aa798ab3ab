#include "base/observe.hpp"

#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <unistd.h>

#include <gtest/gtest.h>
#include <prometheus/counter.h>
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

TEST_F(ObserveTest, UntrustedTextCannotForgeALineOrBreakTheEncoding) {
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

TEST_F(ObserveTest, LinesThatStderrDoesNotTakeAreCountedAndTheNextLineIsAboutThem) {
  const double before = metric("waybill_log_lines_dropped_total");
  const int usual = ::dup(STDERR_FILENO);
  const int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  ASSERT_EQ(::dup2(full, STDERR_FILENO), STDERR_FILENO);
  observe(Observable::lease_lost, {{"shard", 1}});
  observe(Observable::lease_lost, {{"shard", 2}});
  ::dup2(usual, STDERR_FILENO);
  ::close(usual);
  ::close(full);
  EXPECT_EQ(metric("waybill_log_lines_dropped_total"), before + 2);
  CaptureStderr();
  observe(Observable::lease_lost, {{"shard", 3}});
  observe(Observable::lease_lost, {{"shard", 4}});
  const std::string logged = GetCapturedStderr();
  EXPECT_TRUE(
      std::regex_match(logged, std::regex(".* ERROR log.lines_dropped lines=2\n.* shard=3\n.* shard=4\n")))
      << logged;
  EXPECT_EQ(metric("waybill_log_lines_dropped_total"), before + 2);
}

TEST_F(ObserveTest, EveryObservableHasAUniqueName) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < observable_count; ++i) {
    const std::string_view name = observable_name(static_cast<Observable>(i));
    EXPECT_NE(name.find('.'), std::string_view::npos) << name;
    names.insert(name);
  }
  EXPECT_EQ(names.size(), observable_count);
}

TEST_F(ObserveTest, GaugesAreSetAndChanged) {
  set_gauge(Gauge::breakers_open, 7);
  add_to_gauge(Gauge::breakers_open, -2);
  EXPECT_EQ(metric("waybill_breakers_open"), 5);
}

TEST_F(ObserveTest, GaugesOfOneNameDifferInTheirLabel) {
  set_gauge(Gauge::queue_waiting, 3);
  set_gauge(Gauge::queue_held, 4);
  EXPECT_EQ(metric(R"(waybill_queue_depth{status="waiting"})"), 3);
  EXPECT_EQ(metric(R"(waybill_queue_depth{status="held"})"), 4);
}

TEST_F(ObserveTest, AnswersAreCountedByRouteAndStatus) {
  answers("GET /healthz", 200).Increment();
  EXPECT_EQ(&answers("GET /healthz", 200), &answers("GET /healthz", 200));
  EXPECT_EQ(metric(R"(waybill_http_answers_total{route="GET /healthz",status="200"})"), 1);
}

TEST_F(ObserveTest, TheDashboardShowsOnlyMetricsThatAreExported) {
  const auto root = std::filesystem::path(__FILE__).parent_path().parent_path();
  std::ifstream file(root / "deploy" / "grafana-dashboard.json");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  ASSERT_TRUE(std::holds_alternative<json::value>(parse_json(text)));
  const auto names = metric_names();
  const std::set<std::string_view> exported(names.begin(), names.end());
  std::set<std::string> shown;
  const std::regex metric_name("waybill_[a-z_]+");
  for (auto found = std::sregex_iterator(text.begin(), text.end(), metric_name);
       found != std::sregex_iterator(); ++found) {
    std::string name = found->str();
    for (const std::string_view suffix : {"_bucket", "_sum", "_count"}) {
      if (name.ends_with(suffix)) name.resize(name.size() - suffix.size());
    }
    EXPECT_TRUE(exported.contains(name)) << name;
    shown.insert(std::move(name));
  }
  // The metrics behind the alerts.
  for (const char* needed : {"waybill_events_matched_total", "waybill_match_lag_seconds",
                             "waybill_runs_total", "waybill_run_age_seconds", "waybill_first_try_seconds",
                             "waybill_queue_depth", "waybill_breakers_open", "waybill_database_wait_seconds",
                             "waybill_http_answers_total", "waybill_ledger_unbalanced_total"}) {
    EXPECT_TRUE(shown.contains(needed)) << needed;
  }
}

TEST_F(ObserveTest, EachMetricIsInTheDocumentOfMonitoring) {
  const auto root = std::filesystem::path(__FILE__).parent_path().parent_path();
  std::ifstream file(root / "deploy" / "README.md");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  for (const std::string_view name : metric_names()) {
    EXPECT_NE(text.find("`" + std::string(name) + "`"), std::string::npos) << name;
  }
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
