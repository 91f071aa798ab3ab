#include <algorithm>
#include <functional>
#include <iostream>
#include <map>
#include <optional>
#include <random>
#include <ranges>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/json.hpp"
#include "storage/runs/run_store.hpp"
#include "storage/session/session.hpp"
#include "storage/session/session_limits.hpp"
#include "storage/sql/queue.sql.hpp"
#include "storage/statement/binary.hpp"
#include "tests/crash/faults.hpp"
#include "tests/model/run_queue_model.hpp"
#include "tests/worker/queue/random_queue.hpp"
#include "tests/worker/worker_database.hpp"

namespace waybill::tests {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view status_names[] = {"waiting", "queued", "running", "retrying", "held"};

std::string name_of(QueuedStatus status) {
  return std::string(status_names[static_cast<std::size_t>(status)]);
}

/// The changing columns of a row as a text, to compare and to print.
std::string describe(const QueuedRow& row) {
  const auto time = [](const std::optional<Time>& at) { return at ? format_sql_timestamp(*at) : "-"; };
  return name_of(row.status) + " due " + time(row.due_at) + " owner " +
         (row.lease_owner ? row.lease_owner->to_string() : "-") + " from " +
         (row.ordered_from ? std::to_string(*row.ordered_from) : "-") + " postponed " +
         time(row.postponed_until);
}

using State = std::map<Guid, std::string>;

State state_of(const RunQueueModel& queue) {
  State state;
  for (const auto& [guid, row] : queue.rows()) state[guid] = describe(row);
  return state;
}

/// Runs the statements of the queue on random queues, and the model on the same ones. The statements see a
/// fixed time: the functions in the schema `at` hide those of PostgreSQL.
class QueueRule : public WorkerDatabase {
 protected:
  QueueRule() {
    database_.exec("set timezone = 'UTC'");
    database_.exec("create schema at");
    for (const char* clock : {"statement_timestamp", "clock_timestamp"})
      database_.exec("create function at." + std::string(clock) +
                     "() returns timestamptz language sql stable as $$ select "
                     "pg_catalog.current_setting('test.now')::timestamptz $$");
    session_.execute(storage::index_walking_plans);
    session_.execute("set search_path = at, public, pg_catalog");
    session_.execute("set test.now = '" + format_sql_timestamp(RandomQueue::now) + "'");
    for (const RandomWorkflow& workflow : RandomQueue::workflows()) {
      const std::string business = workflow.business.to_string();
      database_.rows("insert into businesses (guid, name) values ($1, 'B') on conflict do nothing",
                     {business});
      if (!workflow.created_at) continue;
      database_.rows(
          "insert into workflows (business_id, guid, name, entity_type, trigger_code, action, conditions, "
          "created_at) "
          "values ($1, $2, 'w', 0, 'order_created', '{\"type\": \"nothing\"}', '{}', $3)",
          {business, workflow.guid.to_string(), format_sql_timestamp(*workflow.created_at)});
    }
  }

  /// Replaces the queue by a random one.
  RunQueueModel draw(RandomQueue& random, std::size_t count) {
    RunQueueModel queue;
    json::array rows;
    for (const RandomRow& drawn : random.rows(count)) {
      queue.put(drawn.row);
      rows.push_back(json_of(drawn));
    }
    database_.exec("truncate run_queue");
    database_.rows(
        "insert into run_queue (business_id, guid, workflow_id, workflow_version, event_id, entity_type, "
        "entity_id, "
        "trigger_code, action, changing_action, status, created_at, due_at, lease_owner, origin, replay_of, "
        "destination, ordered, ordered_from, postponed_until, request) select business, guid, workflow, 1, "
        "event, 0, "
        "record, 'order_created', action, changing, status, created_at, due_at, lease_owner, guid, "
        "replay_of, "
        "destination, ordered, ordered_from, postponed_until, request from json_to_recordset($1) r (business "
        "uuid, "
        "guid uuid, workflow uuid, event bigint, record uuid, action text, changing text, status text, "
        "created_at timestamptz, due_at timestamptz, lease_owner uuid, replay_of uuid, destination text, "
        "ordered boolean, ordered_from bigint, postponed_until timestamptz, request text)",
        {to_json(rows)});
    return queue;
  }

  static json::object json_of(const RandomRow& drawn) {
    const QueuedRow& row = drawn.row;
    const auto maybe = [](const auto& value, const auto& text) -> json::value {
      return value ? json::value(text(*value)) : json::value(nullptr);
    };
    const auto guid_text = [](const Guid& guid) { return guid.to_string(); };
    json::object object{{"business", row.business.to_string()},
                        {"guid", row.guid.to_string()},
                        {"workflow", row.workflow.to_string()},
                        {"event", row.event},
                        {"record", row.record.to_string()},
                        {"action", drawn.action},
                        {"status", name_of(row.status)},
                        {"created_at", format_sql_timestamp(row.created_at)},
                        {"due_at", format_sql_timestamp(row.due_at)},
                        {"destination", row.destination},
                        {"ordered", row.ordered},
                        {"request", drawn.request}};
    object["changing"] = maybe(drawn.changing_action, std::identity());
    object["lease_owner"] = maybe(row.lease_owner, guid_text);
    object["replay_of"] = row.is_replay ? json::value(row.guid.to_string()) : json::value(nullptr);
    object["ordered_from"] = maybe(row.ordered_from, std::identity());
    object["postponed_until"] = maybe(row.postponed_until, format_sql_timestamp);
    return object;
  }

  State stored() {
    const auto time = [](const std::optional<std::string>& text) {
      return text ? parse_sql_timestamp(*text) : std::nullopt;
    };
    State state;
    for (const auto& row :
         database_.rows("select guid, status, due_at, lease_owner, ordered_from, postponed_until "
                        "from run_queue")) {
      QueuedRow read{.guid = Guid::parse(row.at(0).value()).value(),
                     .due_at = time(row.at(2)).value(),
                     .postponed_until = time(row.at(5))};
      read.status = static_cast<QueuedStatus>(std::ranges::find(status_names, row.at(1).value()) -
                                              std::begin(status_names));
      if (row.at(3)) read.lease_owner = Guid::parse(*row[3]);
      if (row.at(4)) read.ordered_from = std::stoll(*row[4]);
      state[read.guid] = describe(read);
    }
    return state;
  }

  static storage::QueueFloors floors_of(const QueueLook& look) {
    storage::QueueFloors floors;
    for (const auto& [destination, time] : look.floors) {
      floors.destinations.push_back(destination);
      floors.times.push_back(time);
    }
    return floors;
  }
  static std::vector<std::string> blocked_destinations(const QueueLook& look) {
    return {look.blocked_destinations.begin(), look.blocked_destinations.end()};
  }
  static std::vector<Guid> blocked_businesses(const QueueLook& look) {
    std::vector<Guid> businesses;
    for (const std::string& business : look.blocked_businesses)
      businesses.push_back(Guid::parse(business).value());
    return businesses;
  }

  /// Claims runs, and expects what the model claims for some order of the destinations. Leaves the model in
  /// the state after it.
  void expect_claim(RunQueueModel& queue, const QueueLook& look, const ClaimBounds& bounds) {
    store_.claim({.lease = bounds.lease,
                  .per_destination = bounds.per_destination,
                  .runs = bounds.runs,
                  .bytes = bounds.bytes,
                  .blocked_destinations = blocked_destinations(look),
                  .blocked_businesses = blocked_businesses(look),
                  .floors = floors_of(look)});
    const State after = stored();
    std::vector<std::string> destinations = queue.destinations(look);
    std::erase_if(destinations, [&](const std::string& destination) {
      return queue.claimable(look, destination, bounds.per_destination).empty();
    });
    const RunQueueModel before = queue;
    do {
      queue = before;
      queue.claim(look, bounds, destinations);
      if (state_of(queue) == after) return;
    } while (std::ranges::next_permutation(destinations).found);
    queue = before;
    queue.claim(look, bounds, destinations);
    EXPECT_EQ(after, state_of(queue)) << "nor for another order of the destinations";
  }

  void expect_next_due(const RunQueueModel& queue, const QueueLook& look, Duration within) {
    const auto due = store_.next_due({.within = within,
                                      .blocked_destinations = blocked_destinations(look),
                                      .blocked_businesses = blocked_businesses(look),
                                      .floors = floors_of(look)});
    const auto text = [](const std::optional<Time>& at) { return at ? format_sql_timestamp(*at) : "none"; };
    EXPECT_EQ(text(due), text(queue.next_due(look, within)));
  }

  /// Expects that new runs are kept waiting by the same runs of the queue.
  void expect_preceded(const RunQueueModel& queue, RandomQueue& random) {
    std::vector<storage::RunKey> keys;
    std::vector<storage::OrderedRun> runs;
    std::vector<std::size_t> expected;
    keys.reserve(queue.rows().size());
    for (QueuedRow row : queue.rows() | std::views::values) {
      row.ordered = true;
      row.is_replay = false;
      row.changes_record = false;
      row.event = std::max<std::int64_t>(row.event, 0) + static_cast<std::int64_t>(random.below(3));
      if (row.ordered_from && *row.ordered_from < 0) row.ordered_from.reset();
      if (!queue.may_go(row)) expected.push_back(keys.size());
      storage::RunKey& key = keys.emplace_back();
      key.business_id = row.business;
      key.workflow_id = row.workflow;
      key.entity_id = row.record;
      key.event_id = static_cast<std::uint64_t>(row.event);
      runs.push_back({.key = &key, .ordered_from = {}});
      if (row.ordered_from) runs.back().ordered_from = static_cast<std::uint64_t>(*row.ordered_from);
    }
    std::vector<std::size_t> found = storage::find_preceded(session_, runs);
    std::ranges::sort(found);
    EXPECT_EQ(found, expected);
  }

  void expect_unblocked(RunQueueModel& queue, const std::vector<EndedRun>& ended, Time now) {
    std::vector<Guid> businesses, workflows, records, runs, replays;
    std::vector<std::int64_t> events;
    for (const EndedRun& run : ended) {
      businesses.push_back(run.business);
      workflows.push_back(run.workflow);
      records.push_back(run.record);
      events.push_back(run.event);
      runs.push_back(run.guid);
      if (run.is_replay) replays.push_back(run.guid);
      queue.remove(run.guid);
      database_.rows("delete from run_queue where guid = $1", {run.guid.to_string()});
    }
    const auto rows = session_.run_with_fresh_plan(
        storage::sql::queue::Unblock{.businesses = storage::binary_array(businesses),
                                     .workflows = storage::binary_array(workflows),
                                     .records = storage::binary_array(records),
                                     .events = storage::binary_array(events),
                                     .runs = storage::binary_array(runs),
                                     .replays = storage::binary_array(replays)});
    EXPECT_FALSE(rows.front().is_outdated);
    queue.unblock(ended, now);
    EXPECT_EQ(stored(), state_of(queue));
  }

  void expect_postponed(RunQueueModel& queue, const QueueLook& look, std::size_t tolerated) {
    const storage::QueueFloors floors = floors_of(look);
    const auto blocked =
        session_.run(storage::sql::queue::FindBlocked{.floor_destinations = floors.destinations,
                                                      .floors = storage::binary_array(floors.times),
                                                      .tolerated = static_cast<std::int64_t>(tolerated)});
    std::vector<Guid> businesses, runs;
    std::vector<Time> due_times;
    for (const auto& row : blocked) {
      businesses.push_back(row.business_id);
      runs.push_back(row.guid);
      due_times.push_back(row.due_at);
    }
    session_.run(storage::sql::queue::PostponeBlocked{.businesses = storage::binary_array(businesses),
                                                      .guids = storage::binary_array(runs),
                                                      .due_times = storage::binary_array(due_times)});
    queue.postpone(queue.blocked(look, tolerated), look.now);
    EXPECT_EQ(stored(), state_of(queue));
  }

  /// Bounds of a claim: often narrow ones, unless two runs became due at the same time, of which either may
  /// be the first.
  ClaimBounds bounds_for(const RunQueueModel& queue, RandomQueue& random) const {
    std::set<std::pair<std::string, Time>> due_times;
    const bool has_ties = std::ranges::any_of(queue.rows() | std::views::values, [&](const QueuedRow& row) {
      return row.status != QueuedStatus::held && !due_times.emplace(row.destination, row.due_at).second;
    });
    ClaimBounds bounds{.worker = worker_, .lease = 30s};
    if (has_ties || random.chance(0.2)) return bounds;
    bounds.per_destination = 1 + random.below(6);
    if (random.chance(0.5)) bounds.runs = 1 + random.below(6);
    if (random.chance(0.5)) bounds.bytes = 1 + random.below(200);
    return bounds;
  }

  /// Runs all statements, in random order, on a random queue.
  void compare(RandomQueue& random, std::size_t count) {
    RunQueueModel queue = draw(random, count);
    ASSERT_EQ(stored(), state_of(queue));
    for (int step = 0; step < 4 && !HasFailure(); ++step) {
      const QueueLook look = random.look(queue);
      switch (random.below(5)) {
        case 0:
          expect_claim(queue, look, bounds_for(queue, random));
          break;
        case 1:
          expect_next_due(queue, look, random.chance(0.5) ? Duration(1s) : Duration(1h));
          break;
        case 2:
          expect_preceded(queue, random);
          break;
        case 3:
          expect_unblocked(queue, random.ends(queue), look.now);
          break;
        default:
          expect_postponed(queue, look, random.below(4));
      }
    }
  }

  storage::Session session_{database_.url(), "test"};
  storage::RunStore store_{session_, worker_};
};

/// WAYBILL_QUEUE_SEED repeats the queues from this seed on.
TEST_F(QueueRule, TheStatementsAgreeWithTheModel) {
  const std::uint64_t first = from_environment("WAYBILL_QUEUE_SEED", std::random_device{}());
  std::cout << "WAYBILL_QUEUE_SEED=" << first << "\n";
  for (std::uint64_t seed = first; seed < first + 400 && !HasFailure(); ++seed) {
    SCOPED_TRACE("WAYBILL_QUEUE_SEED=" + std::to_string(seed));
    RandomQueue random(seed);
    compare(random, 2 + random.below(60));
  }
}

}  // namespace
}  // namespace waybill::tests
