#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/guid.hpp"
#include "base/secret_box.hpp"

namespace waybill::storage::blocking {
class Connection;
}

namespace waybill::worker {

/// A workflow that a destination asked to be paused.
struct PauseRequest {
  Guid business_id;
  Guid workflow_id;
  std::string reason;
};

/// A workflow that the worker pauses, and the people to notify.
struct PauseNotice {
  Guid business_id;
  Guid workflow_id;
  std::uint64_t epoch;  // the epoch of the workflow at the decision
  std::string workflow_name;
  std::string business_name;
  std::string contacts;        // addresses, one per line; may be empty
  std::string reason;          // continues "It was paused because ": "every run failed …"
  std::string until_resumed =  // what happens until the workflow is resumed
      "Events still match the workflow, and its runs are held. When the cause is resolved, resume the "
      "workflow; the held runs are then performed in order.";
};

/// A workflow that was paused, and its new epoch.
struct Paused {
  Guid workflow_id;
  std::uint64_t epoch;
};

/// Pauses a workflow. Returns nullopt if it is already paused or deleted. Throws DatabaseUnavailable or
/// StatementError.
std::optional<Paused> pause(storage::blocking::Connection& session, const PauseRequest& request);

/// Pauses workflows and queues a mail for each in the same statement, so that a pause and its mail exist only
/// together. Skips workflows that were paused, switched off, deleted or changed since the decision. Returns
/// the paused workflows. Throws DatabaseUnavailable or StatementError.
std::vector<Paused> pause_and_mail(storage::blocking::Connection& session, const SecretBox& secrets,
                                   std::span<const PauseNotice> notices);

}  // namespace waybill::worker
