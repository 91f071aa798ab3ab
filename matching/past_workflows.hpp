#pragma once

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/guid.hpp"
#include "base/json.hpp"
#include "matching/past.hpp"
#include "matching/rule.hpp"

namespace waybill::matching {

/// The texts of a workflow from one time on.
struct PastVersion {
  Time at;
  std::string name;
  std::optional<Rule> rule;  // nullopt if unreadable
};

/// A workflow as it was at events.
struct PastWorkflow {
  Guid guid;
  Time created_at;
  std::optional<Time> deleted_at;
  std::vector<PastVersion> versions;            // those in force at the events and the newest; oldest first
  std::vector<std::pair<Time, bool>> switches;  // those in force at the events, by time; true: on

  /// The version in force at that time; null if there was none.
  const PastVersion* version_at(Time at) const {
    const auto later = std::ranges::upper_bound(versions, at, {}, &PastVersion::at);
    return later == versions.begin() ? nullptr : &*std::prev(later);
  }
  bool was_off(Time at) const {
    const auto later = std::ranges::upper_bound(switches, at, {}, &std::pair<Time, bool>::first);
    return later != switches.begin() && !std::prev(later)->second;
  }
};

/// The workflows of a business for records of the type of the events, which are not empty.
std::vector<PastWorkflow> load_workflows(storage::Session& session, const Guid& business,
                                         const std::vector<storage::StoredEvent>& events);

struct PastRun {
  std::string status;
  std::string code;
  int attempts;
  json::value steps;
};

using PastRuns = std::unordered_map<Guid, PastRun>;

PastRuns load_runs(storage::Session& session, const Guid& business, const std::vector<Guid>& guids);

/// Null if there is none.
const PastRun* find_run(const PastRuns& runs, const Guid& guid);

/// The guid of the run that an event causes by itself.
Guid run_guid(const storage::StoredEvent& event, const Guid& workflow);

/// The reason that a run did nothing or waits; empty if it acted.
std::string_view reason_of(const PastRun& run);

/// The digest that has collected an event for a workflow.
struct PastDigest {
  Guid guid;
  std::optional<Time> due;  // of an open one
  bool is_dropped;
};

using PastDigests = std::map<std::tuple<storage::EventKey, Guid>, PastDigest>;  // by event and workflow

PastDigests load_digests(storage::Session& session, const Guid& business,
                         const std::vector<storage::StoredEvent>& events);

}  // namespace waybill::matching
