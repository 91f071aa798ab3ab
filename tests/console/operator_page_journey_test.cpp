// The page for operators in Chromium.
#include <chrono>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/harness/packages.hpp"
#include "tests/harness/postgres.hpp"
#include "tests/harness/process.hpp"
#include "tests/harness/server.hpp"

namespace waybill::tests {
namespace {

using testing::HasSubstr;

constexpr std::string_view lagging = "warehouse:4711";
constexpr std::string_view filling = "11111111-1111-4111-8111-111111111111";

/// Two workers, of which `lagging` has matched nothing for five minutes, and two businesses, of which
/// `filling` has 30 of 34 queued runs. No worker runs, so that nobody takes the shards or the runs.
void make_trouble(TestDatabase& database) {
  database.exec(
      "insert into workers (guid, name) values"
      " ('aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa', 'attic:1'),"
      " ('bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb', '" +
      std::string(lagging) +
      "');"
      "insert into worker_beats (worker, expires_at, matched_at)"
      " select guid, now() + interval '1 hour', now() - case name when 'attic:1' then interval '1 second'"
      "   else interval '5 minutes' end from workers;"
      "update shards set owner = case when shard < 8 then 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa'::uuid"
      "   else 'bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb' end;"
      "insert into businesses (guid, name) values ('" +
      std::string(filling) +
      "', 'Acme'), ('22222222-2222-4222-8222-222222222222', 'Bolt');"
      "insert into run_queue (business_id, guid, workflow_id, workflow_version, event_id, entity_type,"
      "   entity_id, trigger_code, action, status, created_at, due_at, origin, request)"
      " select case when n <= 30 then '" +
      std::string(filling) +
      "'::uuid else '22222222-2222-4222-8222-222222222222' end, gen_random_uuid(), gen_random_uuid(), 1, n, "
      "0,"
      "   gen_random_uuid(), 'order_created', 'webhook', 'queued', now(), now() - interval '4 minutes',"
      "   gen_random_uuid(), '{}'"
      " from generate_series(1, 34) n");
}

TEST(OperatorPageJourney, LeadsToTheWorkerThatLagsAndToTheBusinessThatFillsTheQueue) {
  TestDatabase database;
  Waybill api(database.url(), {.command = "api", .arguments = {"--metrics-listen", "127.0.0.1:0"}});
  make_trouble(database);
  constexpr std::string_view name = "metrics=";
  const auto line = api.process().wait_for_line(std::string(name));
  ASSERT_TRUE(line);
  const auto metrics = line->substr(line->find(name) + name.size());
  const auto walked = run({"node", package_folder("browser") / "journeys" / "operator.mjs", metrics}, {},
                          std::chrono::minutes(2));
  EXPECT_EQ(walked.status, 0) << walked.standard_output << walked.standard_error;
  EXPECT_THAT(walked.standard_output, HasSubstr("worker " + std::string(lagging) + "\n"));
  EXPECT_THAT(walked.standard_output, HasSubstr("business " + std::string(filling) + "\n"));
}

}  // namespace
}  // namespace waybill::tests
