#pragma once

#include <cstdint>
#include <memory>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "actions/action.hpp"
#include "base/clock.hpp"
#include "base/guid.hpp"
#include "base/json.hpp"
#include "base/secret_box.hpp"
#include "matching/rule.hpp"
#include "storage/workflow_reader.hpp"

namespace waybill::worker {

/// How long the runs and events of a workflow that this version cannot read are left to other workers.
inline constexpr Duration unreadable_again_after = std::chrono::seconds(5);

/// A workflow ready to be matched and performed. Immutable: a change replaces it.
struct Workflow {
  Guid guid;
  Guid business_id;
  std::string business_name;
  std::string name;
  matching::Rule rule;
  const actions::Action* action;
  json::object definition;  // of the action
  bool is_active;
  bool paused;
  bool ordered;
  Duration delay;
  int version;
  Time active_since;
  Time created_at;
  std::vector<net::WebhookSecret> secrets;  // newest first
  std::optional<Time> previous_until;       // from then on only the newest counts
  actions::Credentials credentials;
};

/// Those that sign at `now`, newest first.
std::span<const net::WebhookSecret> valid_secrets(const Workflow& workflow, Time now);

using WorkflowPtr = std::shared_ptr<const Workflow>;

/// The workflows of every business, as of `epoch`. One thread changes it, any may ask.
class Catalogue {
 public:
  explicit Catalogue(const SecretBox& secrets) : secrets_(secrets) {}

  std::uint64_t epoch() const { return epoch_; }

  /// Takes over what changed since `epoch()`. A workflow that this version cannot read (its trigger,
  /// conditions or action are of a newer version, or were changed by SQL) is reported and kept apart.
  void apply(const std::vector<storage::StoredWorkflow>& changed);

  /// Takes over all workflows that there are; others are forgotten. A server that lost commits may have given
  /// the epochs since then to other changes.
  void replace(const std::vector<storage::StoredWorkflow>& all);

  /// Null when there is none, or no more, or this version cannot read it.
  WorkflowPtr find(const Guid& workflow) const;

  /// True for a workflow that exists and that this version cannot read. Nothing is decided for it: its events
  /// are matched and its runs are performed once it is readable, or by a worker that can read it.
  bool is_unreadable(const Guid& workflow) const;

  /// The workflows of a business that this version cannot read, that are switched on for one entity type, and
  /// were so at the time `at` of an event.
  std::vector<Guid> unreadable(const Guid& business, domain::EntityType type, Time at) const;

  /// Those of a business that are switched on, for one entity type, in the order they were made.
  std::vector<WorkflowPtr> active(const Guid& business, domain::EntityType type) const;

 private:
  struct Unreadable {
    Guid business_id;
    domain::EntityType entity_type;
    bool is_active;
    Time active_since;
  };
  WorkflowPtr read(const storage::StoredWorkflow& stored) const;
  void remove(const Guid& workflow);

  const SecretBox& secrets_;
  std::uint64_t epoch_ = 0;
  mutable std::shared_mutex mutex_;
  std::unordered_map<Guid, WorkflowPtr> workflows_;
  std::unordered_map<Guid, std::vector<WorkflowPtr>> by_business_;
  std::unordered_map<Guid, Unreadable> unreadable_;
};

}  // namespace waybill::worker
