// Random workflows that wait for events and are cancelled by them, compared with a reference.
#include <array>
#include <cstdint>
#include <functional>
#include <iostream>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/workflows/actions/steps_fixture.hpp"

namespace waybill::tests {
namespace {

constexpr int workflows = 24;
constexpr int orders = 12;
constexpr int changes_of_order = 7;
constexpr std::array<const char*, 4> values{"a", "b", "c", "d"};

/// A change of an order: its notes get a value, or it moves on to `processing`.
struct Change {
  std::string notes;  // empty: it moves
};

/// The events that a wait or a cancellation wants: changes to a value, or any change of the fields or of the
/// status.
struct Wanted {
  std::string notes;  // empty: by trigger alone
  bool is_status = false;

  bool includes(const Change& change, const std::string& notes_then) const {
    if (change.notes.empty() != is_status) return false;
    return notes.empty() || notes_then == notes;
  }
  json::object stored() const {
    json::object awaited{{"triggers", {is_status ? "order_status_changed" : "order_updated"}}};
    if (!notes.empty()) awaited["conditions"] = {{"notes", notes}};
    return awaited;
  }
};

/// A choice by the currency of the order, which never changes, or a wait, or a webhook.
struct Entry {
  enum class Kind : std::uint8_t { wait, hook, choice } kind = Kind::hook;
  Wanted wanted = {};
  std::vector<Entry> then = {}, otherwise = {};
};

struct Flow {
  std::vector<Entry> entries;
  std::optional<Wanted> cancels;

  /// The waits of the run for an order, by its way.
  std::vector<Wanted> waits(bool is_euro) const {
    std::vector<Wanted> found;
    add_waits(entries, is_euro, found);
    return found;
  }

 private:
  static void add_waits(const std::vector<Entry>& entries, bool is_euro, std::vector<Wanted>& found) {
    for (const Entry& entry : entries) {
      if (entry.kind == Entry::Kind::wait) found.push_back(entry.wanted);
      if (entry.kind == Entry::Kind::choice)
        add_waits(is_euro ? entry.then : entry.otherwise, is_euro, found);
    }
  }
};

/// The state of a flow's run after all changes of an order: the number of waits that are over, and whether it
/// is cancelled. A run whose last wait is over before the cancelling event may also have ended.
struct Expected {
  std::size_t waits = 0;
  bool is_cancelled = false;
  bool may_be_cancelled = false;
};

Expected expected(const Flow& flow, bool is_euro, const std::vector<Change>& changes) {
  const std::vector<Wanted> waits = flow.waits(is_euro);
  Expected result;
  std::string notes;
  for (const Change& change : changes) {
    if (!change.notes.empty()) notes = change.notes;
    if (flow.cancels && flow.cancels->includes(change, notes)) {
      const bool is_open = result.waits < waits.size();
      result.is_cancelled = is_open;
      result.may_be_cancelled = true;
      return result;
    }
    if (result.waits < waits.size() && waits[result.waits].includes(change, notes)) ++result.waits;
  }
  return result;
}

class AwaitedEventsProperty : public StepsTest {
 protected:
  json::array steps_of(const std::vector<Entry>& entries) const {
    json::array steps;
    for (const Entry& entry : entries) {
      if (entry.kind == Entry::Kind::wait) {
        steps.push_back({{"type", "wait"}, {"for", entry.wanted.stored()}, {"atMost", "P1D"}});
      } else if (entry.kind == Entry::Kind::hook) {
        steps.push_back(hook("between"));
      } else {
        steps.push_back({{"type", "choose"},
                         {"when", {{"currency", "EUR"}}},
                         {"then", steps_of(entry.then)},
                         {"otherwise", steps_of(entry.otherwise)}});
      }
    }
    return steps;
  }
};

TEST_F(AwaitedEventsProperty, RunsComeAsFarAsAReferenceSays) {
  const std::uint64_t seed = std::random_device()();
  std::cout << "seed " << seed << "\n";
  std::mt19937_64 random(seed);
  const auto below = [&](int bound) {
    return static_cast<int>(random() % static_cast<std::uint64_t>(bound));
  };
  const auto wanted = [&] {
    Wanted some{.is_status = below(5) == 0};
    if (below(4) > 0) some.notes = values.at(static_cast<std::size_t>(below(4)));
    return some;
  };
  std::vector<Flow> flows(workflows);
  std::vector<std::string> guids;
  int left = 0;  // steps until a definition is large enough
  const std::function<std::vector<Entry>(int)> some_entries = [&](int depth) {
    constexpr int deepest = 3;
    std::vector<Entry> entries;
    for (int i = below(3) + 1; i > 0; --i) {
      if (--left > 0 && depth < deepest && below(3) == 0) {
        entries.push_back({.kind = Entry::Kind::choice,
                           .then = some_entries(depth + 1),
                           .otherwise = some_entries(depth + 1)});
      } else {
        entries.push_back({.kind = Entry::Kind::wait, .wanted = wanted()});
      }
      if (left > 0 && below(2) == 0) {
        --left;
        entries.push_back({});
      }
    }
    return entries;
  };
  constexpr int usual_steps = 20;
  std::vector<json::object> others;  // a definition that takes the place of the first, for some
  for (Flow& flow : flows) {
    left = usual_steps;
    flow.entries = some_entries(0);
    json::array steps = steps_of(flow.entries);
    steps.push_back(hook("end"));
    json::object more;
    if (below(2) == 0) flow.cancels = wanted();
    if (flow.cancels) more["cancelOn"] = flow.cancels->stored();
    if (below(3) == 0) more["ordered"] = true;
    if (below(4) == 0) more["delay"] = "PT1S";
    guids.push_back(workflow(steps, more));
    left = usual_steps;
    json::array other = steps_of(some_entries(0));
    other.push_back(hook("other"));
    others.push_back({{"guid", guids.back()}, {"steps", other}, {"cancelOn", wanted().stored()}});
  }
  std::vector<std::string> created;
  std::vector<std::vector<Change>> made(orders);
  std::vector<std::string> notes(orders);
  std::vector<bool> moved(orders);
  const auto is_euro = [](std::size_t order) { return order % 2 == 0; };
  for (std::size_t i = 0; i < orders; ++i)
    created.push_back(tenant.insert_order({{"currency", is_euro(i) ? "'EUR'" : "'USD'"}}));
  for (int n = 0; n < changes_of_order; ++n) {
    // A run keeps the version that it began with, and a pause holds its steps but not its events.
    if (n == changes_of_order / 2) {
      tenant.settle();
      for (const json::object& other : others) {
        if (below(3) == 0) tenant.configure(other);
      }
    }
    const std::string& paused = guids.at(static_cast<std::size_t>(below(workflows)));
    const bool pauses = below(2) == 0;
    if (pauses)
      tenant.sql.rows("update workflows set paused_reason = 'a test', paused_at = now() where guid = $1",
                      {paused});
    for (std::size_t i = 0; i < created.size(); ++i) {
      const Change change =
          below(8) == 0 && !moved[i] ? Change{} : Change{values.at(static_cast<std::size_t>(below(4)))};
      if (change.notes.empty()) {
        moved[i] = true;
        tenant.sql.rows("update orders set status = 'processing' where guid = $1", {created[i]});
      } else if (change.notes != notes[i]) {
        notes[i] = change.notes;
        tenant.sql.rows("update orders set notes = $2 where guid = $1", {created[i], change.notes});
      } else {
        continue;  // it would change nothing, so there is no event
      }
      made[i].push_back(change);
    }
    if (below(3) == 0) tenant.settle();
    if (pauses) EXPECT_EQ(tenant.http.get("/api/workflows/resume-workflow?workflowId=" + paused).status, 200);
  }
  tenant.settle();
  const auto is_quiet = [&] {
    return tenant.sql.number(
               "select count(*) from run_queue where business_id = $1 and "
               "(status <> 'waiting' or due_at < now() + interval '1 hour')",
               {tenant.id}) == 0;
  };
  // Less than a lease: no outcome is lost, so no run waits for the end of its lease.
  ASSERT_TRUE(eventually(is_quiet, std::chrono::seconds(25)));
  for (std::size_t w = 0; w < flows.size(); ++w) {
    for (std::size_t i = 0; i < created.size(); ++i) {
      const Expected should = expected(flows[w], is_euro(i), made[i]);
      const auto rows = tenant.sql.rows(
          "select status, code, (select count(*) from jsonb_array_elements(steps::jsonb -> 'results') r "
          "where r ->> 'type' = 'wait' and r ->> 'status' = 'succeeded') from all_runs "
          "where workflow_id = $1 and entity_id = $2",
          {guids[w], created[i]});
      ASSERT_EQ(rows.size(), 1U) << "flow " << w << ", order " << i;
      const std::string status = rows[0].at(0).value(), code = rows[0].at(1).value_or("");
      const std::size_t waits = std::stoul(rows[0].at(2).value_or("0"));
      const std::string where = "flow " + std::to_string(w) + ", order " + std::to_string(i) + ": " + status +
                                " " + code + " after " + std::to_string(waits) + " waits, not " +
                                std::to_string(should.waits);
      if (code == "CANCELLED_BY_EVENT") {
        EXPECT_TRUE(should.is_cancelled || should.may_be_cancelled) << where;
        EXPECT_LE(waits, should.waits) << where;
        continue;
      }
      EXPECT_FALSE(should.is_cancelled) << where;
      EXPECT_EQ(waits, should.waits) << where;
      EXPECT_EQ(status, should.waits == flows[w].waits(is_euro(i)).size() ? "succeeded" : "waiting") << where;
    }
  }
  EXPECT_EQ(tenant.http.get("/api/workflows/ledger").data().at("balanced"), true);
}

}  // namespace
}  // namespace waybill::tests
