#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/gate/gate.hpp"
#include "api/gate/request_check.hpp"
#include "storage/standbys/request_database.hpp"

namespace waybill::api {

/// A request and its state in the pipeline.
struct Gate::Exchange {
  const Request& request;
  RequestBody& body;
  Response& response;
  Call call = {};
  Found found = {};
  std::string_view query = {};
  RequestMethod method = RequestMethod::get;
  std::string location = {};
  std::optional<ByteLimits::Claim> held_body = {};
  storage::RequestDatabase* database = nullptr;  // that of a tracked request
  bool is_once = false;                          // it has an Idempotency-Key
  bool by_cookie = false;                        // it has a session cookie that counts
  bool is_accepted = false;                      // a job performs it

  const Endpoint& endpoint() const { return found.endpoint->row; }

  /// True if the request can be refused without denying a change that it has made.
  bool is_refusable() const {
    if (is_once) return true;  // its transaction is not committed yet
    if (database == nullptr) return method == RequestMethod::get;
    const auto& commits = database->commits();
    return !commits.is_unclear && commits.position == storage::CommitPosition();
  }
};

/// The lowest role that has a permission.
Role least_role(Permission permission);

}  // namespace waybill::api
