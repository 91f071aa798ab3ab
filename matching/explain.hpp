#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/conditions/conditions.hpp"
#include "matching/past.hpp"

namespace waybill::matching {

/// What one workflow made of one event.
struct ExplainedWorkflow {
  Guid guid;
  std::string name;
  bool fired = false;
  std::optional<Guid> run;  // the one it caused, also when that is held or was not performed
  /// Why it did not fire: switched_off, other_trigger, condition, loop, paused, newer_than_event; empty when
  /// it fired, or when the event is not matched yet.
  std::string_view reason;
  std::vector<domain::ConditionResult>
      conditions;  // of the version of then; empty of one newer than the event
};

struct ExplainedEvent {
  std::uint64_t id;
  Time at;
  std::vector<std::string_view> triggers;  // codes of those that fired
  std::vector<ExplainedWorkflow> workflows;
};

/// The last events of a record, newest first, and what each workflow of its type made of them; nullopt for a
/// record that the business does not have and never had while events are kept. Throws DatabaseUnavailable or
/// StatementError.
std::optional<std::vector<ExplainedEvent>> explain(storage::Session& session, const Guid& business,
                                                   const Guid& entity, storage::PastEvents::Latest latest);

}  // namespace waybill::matching
