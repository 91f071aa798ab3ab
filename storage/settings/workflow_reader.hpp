#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/crypto.hpp"
#include "base/guid.hpp"
#include "domain/records/record_type.hpp"
#include "domain/workflows/switches.hpp"
#include "storage/session/session.hpp"

namespace waybill::storage {

/// The settings of a business that its workflows use.
struct BusinessFacts {
  std::string name;
  std::string sender_name = {};  // name in the business's mails; may be empty
  std::string reply_to = {};     // address for answers to its mails; may be empty
  bool email_enabled = true;     // the business's switches of notifications
  bool push_enabled = true;
  // The offsets of its time zone (domain/time/local_date.hpp); empty if the workflow's texts do not need
  // them.
  std::string zone_offsets = {};

  bool operator==(const BusinessFacts&) const = default;
};

/// A workflow as stored.
struct StoredWorkflow {
  Guid business_id;
  Guid guid;
  std::string name;
  domain::EntityType entity_type;
  std::string trigger_code;
  std::string action;      // JSON, as the action's check returned it
  std::string conditions;  // JSON
  bool is_active;
  bool ordered;
  std::optional<std::string> delay;  // ISO 8601
  bool paused;
  int version;
  Time active_since;
  bool deleted;
  std::uint64_t epoch;
  BusinessFacts business;
  std::vector<Bytes> sealed_secrets;     // newest first, at most two
  std::optional<std::string> templates;  // JSON of template_texts, when the action uses any
  Time created_at;
  std::optional<Time> previous_until;  // expiry of the older of two secrets
  std::optional<Bytes> sealed_credentials;
  std::optional<std::string> window;  // JSON of domain::TimeWindow
  std::optional<std::string> limit;   // JSON of domain::RunLimit
  std::optional<std::string> rate;    // JSON of domain::RequestRate
  int timer_plan = 0;                 // the version that last changed the timer; 0 without a timer
  Time timer_since{};                 // time of that change
  bool workdays = false;              // the delay is a number of working days
  std::optional<std::string> cancel_on = std::nullopt;  // JSON of matching::AwaitedEvents
  bool watches = false;                                 // runs of one of its versions may watch their record
  std::vector<domain::Switch> switches = {};            // oldest first
};

/// The bytes of definitions and templates after which a portion of workflows ends.
inline constexpr std::size_t workflows_portion = 1024UL * 1024;

/// A function that receives the next portion of the workflows that are read. It must not use the session.
using TakeWorkflows = std::function<void(const std::vector<StoredWorkflow>& portion)>;

/// Reads all workflows that changed since `epoch` or whose templates may have, including deleted ones, in
/// order of epoch. `take` gets them in portions, so that the texts of a business are never all in memory.
/// Returns the epoch of the last one, or `epoch` if there is none. Throws DatabaseUnavailable or
/// StatementError; `take` may then have been called with some.
std::uint64_t read_changed_workflows(Session& session, std::uint64_t epoch, const TakeWorkflows& take);

/// Reads only the workflows of some businesses.
std::uint64_t read_changed_workflows(Session& session, std::uint64_t epoch, std::span<const Guid> businesses,
                                     const TakeWorkflows& take);

}  // namespace waybill::storage
