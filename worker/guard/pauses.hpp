#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/guid.hpp"
#include "base/secret_box.hpp"
#include "storage/session.hpp"

namespace waybill::worker {

/// A workflow that a destination asked to be paused.
struct PauseRequest {
  Guid business_id;
  Guid workflow_id;
  std::string reason;
};

/// A workflow that the service itself pauses, and whom it tells.
struct PauseNotice {
  Guid business_id;
  Guid workflow_id;
  std::uint64_t epoch;  // of the workflow, when the decision was made
  std::string workflow_name;
  std::string business_name;
  std::string contacts;  // addresses, one a line; may be empty
  std::string reason;    // "every run failed …": goes on from "It was paused because "
};

/// A workflow that was paused, and its epoch since.
struct Paused {
  Guid workflow_id;
  std::uint64_t epoch;
};

/// Pauses a workflow, unless it is paused or deleted; nullopt then. Throws DatabaseUnavailable or
/// StatementError.
std::optional<Paused> pause(storage::Session& session, const PauseRequest& request);

/// Pauses workflows and puts a mail for each into the outbox, all in one statement: there is no pause without
/// its mail and no mail without its pause. Leaves alone what was paused, switched off, deleted or changed
/// since. Answers the workflows paused now. Throws DatabaseUnavailable or StatementError.
std::vector<Paused> pause_and_mail(storage::Session& session, const SecretBox& secrets,
                                   std::span<const PauseNotice> notices);

}  // namespace waybill::worker
