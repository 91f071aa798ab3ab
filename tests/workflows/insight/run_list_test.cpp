#include <algorithm>
#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/workflows/fixtures/workflow_fixture.hpp"

namespace waybill::tests {
namespace {

// Runs of twelve days, with counts by day of the finished runs; open runs have no counts.
class RunList : public WorkflowTest {
 protected:
  RunList() {
    tenant.sql.exec(
        "select make_partitions((now() at time zone 'UTC')::date - 5, (now() at time zone 'UTC')::date)");
    tenant.sql.exec(
        "create temporary table made as"
        " select n, timed_guid(at) as guid, at, first_guid(timestamptz '2000-01-01 00:00Z' + n % 3 * "
        "interval '1 day') as workflow,"
        "   (array['succeeded', 'succeeded', 'dead', 'skipped', 'waiting'])[1 + n % 5] as status"
        " from generate_series(0, 299) n,"
        "   lateral (select date_trunc('day', now(), 'UTC') - (n % 12) * interval '1 day'"
        "              + case n % 7 when 0 then interval '0' else n * interval '4 minutes' end as at) t");
    const std::string columns =
        "business_id, guid, workflow_id, workflow_version, event_id, entity_type, entity_id, trigger_code, "
        "action, status,"
        " attempts, created_at, origin, destination, request, tries";
    const std::string values =
        "'" + tenant.id +
        "', guid, workflow, 1, n, 0, workflow, 'order_created', 'webhook', status, 1, at, guid, "
        "'', '{}', '[]'";
    tenant.sql.exec("insert into runs (" + columns + ", finished_at) select " + values +
                    ", at from made where status <> 'waiting'");
    tenant.sql.exec("insert into run_queue (" + columns + ", due_at) select " + values +
                    ", now() + interval '1 day' from made where status = 'waiting'");
    // Two rows for each, like the counts of two batches.
    tenant.sql.exec(
        "insert into run_counts select business_id, unit, date_trunc(unit, created_at, 'UTC'), workflow_id, "
        "status, count(*)"
        " from runs, unnest(array['day', 'hour']) unit where business_id = '" +
        tenant.id + "' group by business_id, unit, 3, workflow_id, status, event_id % 2");
  }

  std::string moment(int days_ago, std::string_view time) {
    return tenant.sql.value("select ((now() at time zone 'UTC')::date - " + std::to_string(days_ago) +
                            ")::text") +
           std::string(time);
  }

  /// Checks that the pages and the total of `query` match the runs that `where` finds.
  void expect_listed(const std::string& query, const std::string& where) {
    const auto wanted = tenant.sql.column(
        "select guid from all_runs where business_id = $1 and " + where + " order by guid desc", {tenant.id});
    std::vector<std::string> listed;
    for (int page = 1; page <= 1 + static_cast<int>(wanted.size() / 30); ++page) {
      const auto answer =
          tenant.http.get("/api/workflows/runs?PageSize=30&Page=" + std::to_string(page) + query);
      ASSERT_EQ(answer.status, 200) << query << answer.text;
      EXPECT_EQ(at(answer.body, "totalCount"), wanted.size()) << query;
      for (const auto& run : answer.data().as_array()) listed.push_back(text_at(run, "guid"));
    }
    EXPECT_EQ(listed, wanted) << query;
    EXPECT_EQ(listed_by_cursor(query), wanted) << query;
  }

  /// The runs of all pages that follow each other by cursor.
  std::vector<std::string> listed_by_cursor(const std::string& query) {
    std::vector<std::string> listed;
    for (std::string cursor;;) {
      const auto answer = tenant.http.get("/api/workflows/runs?PageSize=30&after=" + cursor + query);
      EXPECT_EQ(answer.status, 200) << query << answer.text;
      EXPECT_FALSE(answer.body.as_object().contains("totalCount"));
      for (const auto& run : answer.data().as_array()) listed.push_back(text_at(run, "guid"));
      EXPECT_EQ(at(answer.body, "hasMore").as_bool(), !at(answer.body, "nextCursor").is_null());
      if (!at(answer.body, "hasMore").as_bool()) return listed;
      cursor = text_at(answer.body, "nextCursor");
    }
  }

  std::int64_t newer(const std::string& run, const std::string& query = "") {
    const auto answer = tenant.http.get("/api/workflows/runs?PageSize=1&after=&since=" + run + query);
    EXPECT_EQ(answer.status, 200) << answer.text;
    return at(answer.body, "newer").to_number<std::int64_t>();
  }

  const std::string workflow = tenant.sql.value("select first_guid('2000-01-02 00:00Z')");
};

TEST_F(RunList, PagesAndTotalsMatchTheQuery) {
  const std::string workflow_condition = "workflow_id = '" + workflow + "'";
  expect_listed("", "true");
  expect_listed("&workflowId=" + workflow, workflow_condition);
  for (const std::string status : {"succeeded", "dead", "skipped", "waiting", "queued"}) {
    expect_listed("&status=" + status, "status = '" + status + "'");
    expect_listed("&status=" + status + "&workflowId=" + workflow,
                  workflow_condition + " and status = '" + status + "'");
  }
  expect_listed("&entityId=" + workflow, "entity_id = '" + workflow + "'");
  expect_listed("&entityId=" + workflow + "&status=dead",
                "status = 'dead' and entity_id = '" + workflow + "'");
}

TEST_F(RunList, RangesMayBeginAndEndWithinADay) {
  const auto whole = moment(4, ""), last = moment(2, "");
  expect_listed("&from=" + whole, "created_at >= '" + whole + " 00:00Z'");
  expect_listed("&to=" + whole, "created_at < '" + whole + " 00:00Z'::timestamptz + interval '1 day'");
  expect_listed("&from=" + whole + "&to=" + last, "created_at >= '" + whole + " 00:00Z' and created_at < '" +
                                                      last + " 00:00Z'::timestamptz + interval '1 day'");
  const auto morning = moment(4, "T06:30:00Z"), evening = moment(4, "T18:00:00Z"),
             later = moment(2, "T03:00:00Z");
  for (const auto& [from, to] :
       {std::pair(morning, evening), std::pair(morning, later), std::pair(moment(8, "T00:00:00Z"), later),
        std::pair(evening, morning), std::pair(moment(4, "T06:30:00Z"), moment(4, "T06:50:00Z")),
        std::pair(moment(4, "T06:30:00Z"), moment(4, "T07:10:00Z")),
        std::pair(moment(3, "T23:30:00Z"), moment(2, "T00:10:00Z")),
        std::pair(moment(3, "T23:00:00Z"), moment(2, "T01:00:00Z"))}) {
    const auto within = "created_at >= '" + from + "' and created_at <= '" + to + "'";
    expect_listed("&from=" + from + "&to=" + to, within);
    expect_listed("&status=succeeded&workflowId=" + workflow + "&from=" + from + "&to=" + to,
                  within + " and status = 'succeeded' and workflow_id = '" + workflow + "'");
  }
}

TEST_F(RunList, ACursorsPageHasTotalsOnlyIfTheyAreCounted) {
  const auto counted = tenant.http.get("/api/workflows/runs?PageSize=30&after=&count=true&status=dead");
  EXPECT_EQ(at(counted.body, "totalCount"), 60);
  EXPECT_EQ(at(counted.body, "totalPages"), 2);
  const auto cursor = text_at(counted.body, "nextCursor");
  EXPECT_EQ(tenant.http.get("/api/workflows/runs?count=false&status=dead&after=" + cursor).status, 200);
  for (const auto& query : {"after=" + cursor, "status=skipped&after=" + cursor, std::string("after=x")}) {
    const auto refused = tenant.http.get("/api/workflows/runs?" + query);
    EXPECT_EQ(refused.status, 400) << query;
    EXPECT_TRUE(refused.details().contains("after")) << refused.text;
  }
  EXPECT_TRUE(tenant.http.get("/api/workflows/runs?Page=1&after=").details().contains("Page"));
}

TEST_F(RunList, NewRunsDoNotMoveThePagesBehindACursor) {
  const auto wanted =
      tenant.sql.column("select guid from all_runs where business_id = $1 order by guid desc", {tenant.id});
  const auto first = tenant.http.get("/api/workflows/runs?PageSize=30&after=");
  const auto flow = tenant.webhook(url(), "order_created");
  tenant.insert_order();
  tenant.run_with_status(flow, "succeeded");
  const auto second =
      tenant.http.get("/api/workflows/runs?PageSize=30&after=" + text_at(first.body, "nextCursor"));
  ASSERT_EQ(second.data().as_array().size(), 30U);
  for (std::size_t i = 0; i < 30; ++i)
    EXPECT_EQ(text_at(second.data().as_array()[i], "guid"), wanted.at(30 + i)) << i;
}

TEST_F(RunList, TheRunsNewerThanAnotherAreCountedUpToAHundred) {
  const auto runs =
      tenant.sql.column("select guid from all_runs where business_id = $1 order by guid desc", {tenant.id});
  for (const std::size_t seen : {0U, 1U, 40U, 99U, 100U, 101U, 299U})
    EXPECT_EQ(newer(runs.at(seen)), std::min<std::int64_t>(100, static_cast<std::int64_t>(seen))) << seen;
  EXPECT_EQ(newer("00000000-0000-0000-0000-000000000000"), 100);
  EXPECT_EQ(newer("ffffffff-ffff-4fff-bfff-ffffffffffff"), 0);
  EXPECT_EQ(newer(runs.back(), "&status=dead"),
            60 - (tenant.sql.value("select status from all_runs where guid = $1", {runs.back()}) == "dead"));
  EXPECT_EQ(tenant.http.get("/api/workflows/runs?since=x").status, 400);
  const auto page = tenant.http.get("/api/workflows/runs?since=" + runs.at(3));
  EXPECT_EQ(at(page.body, "newer"), 3);
  EXPECT_EQ(at(page.body, "totalCount"), 300);
}

class RunsThatEnd : public WorkflowTest {};

// The first run of its workflow on this day ends between the count of the runs and the read of the page.
TEST_F(RunsThatEnd, AreInTheListAtAnyTime) {
  std::atomic<bool> is_over = false;
  std::mutex mutex;
  std::string query;  // of the present round
  std::vector<std::jthread> readers;
  for (int i = 0; i < 4; ++i) {
    readers.emplace_back([&, http = world.waybill.http(tenant.http.token())]() mutable {
      while (!is_over) {
        std::unique_lock lock(mutex);
        const std::string path = "/api/workflows/runs?workflowId=" + query;
        lock.unlock();
        const Response list = http.get(path);
        if (list.status == 200)
          EXPECT_GE(list.data().as_array().size(), at(list.body, "totalCount").to_number<std::size_t>());
      }
    });
  }
  for (int round = 0; round < 30; ++round) {
    const std::string notes = "round " + std::to_string(round);
    const std::string flow =
        tenant.webhook(url(), "order_created", {{"conditions", {{"notes", notes}}}, {"delay", "PT0.1S"}});
    {
      const std::lock_guard lock(mutex);
      query = flow;
    }
    tenant.insert_order({{"notes", "'" + notes + "'"}});
    tenant.run_with_status(flow, "succeeded");
  }
  is_over = true;
}

}  // namespace
}  // namespace waybill::tests
