#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "tests/harness/http.hpp"
#include "tests/harness/postgres.hpp"
#include "tests/harness/receiver.hpp"
#include "tests/harness/server.hpp"

namespace waybill::tests {

/// A business under test: a client with its token, and a `psql` session to the same database. One thread at a
/// time. Methods that make something throw std::runtime_error with the answer when the service refuses.
class Tenant {
 public:
  Tenant(const Waybill& api, std::string_view name);

  Http http;
  Session sql;
  std::string name;
  std::string id;  // the business's guid

  /// A path of a receiver that no other tenant uses.
  std::string path(std::string_view hook = "hook") const { return "/" + name + "/" + std::string(hook); }

  /// By the API; fields given here replace or join the usual ones. The guid.
  std::string create_order(const json::object& fields = {});
  /// By plain SQL: an order row with only what the table demands and the columns given (as SQL expressions).
  std::string insert_order(const std::map<std::string, std::string>& columns = {});

  /// Likewise a shipment, of an order unless that is empty.
  std::string insert_shipment(std::string_view order, std::string_view status = "created");
  void move_shipment(std::string_view shipment, std::string_view status);
  /// The status of an order or shipment as it is now.
  std::string status_of(std::string_view record);
  /// Its status changes as the API tells them, oldest first: "pending > shipped by workflow".
  std::vector<std::string> history_of_order(std::string_view order);

  void put_order(std::string_view order, const json::object& fields);
  void move_order(std::string_view order, std::string_view status);
  void update_orders(std::string_view set_and_where);

  /// Configures a webhook workflow; `definition` replaces or joins the usual fields. The answer's data.
  json::object configure(const json::object& definition);
  /// The guid of a new webhook workflow.
  std::string webhook(std::string_view url, std::string_view trigger, const json::object& more = {});
  /// The guid of a new workflow that moves `recipient` to `status`.
  std::string update_status(std::string_view trigger, std::string_view recipient, std::string_view status,
                            const json::object& more = {});
  json::object workflow(std::string_view guid);
  /// The guid of the managed workflow that moves orders to `status`.
  std::string managed(std::string_view status);

  /// Runs as listed, newest first; `query` like "entityId=…".
  std::vector<json::object> runs(std::string_view query);
  json::object run(std::string_view guid);
  /// The only run of a workflow once `status` is its status; throws when it is not in time.
  json::object run_with_status(std::string_view workflow, std::string_view status,
                               Deadline deadline = patience);

  /// Waits until every committed event of the business is matched and recorded.
  void settle(Deadline deadline = patience);
};

/// The guid the contract gives a trigger: UUIDv5 of its code.
std::string trigger_guid(std::string_view code);

/// What Standard Webhooks' npm package says of a delivery: 0 valid, 1 wrong, anything else: could not be
/// asked.
Finished verify_with_npm(std::string_view secret, const Received& request);

/// The signatures a request carries, `v1,…` each.
std::vector<std::string> signatures(const Received& request);

/// `v1,…` that `secret` makes for the request.
std::string expected_signature(std::string_view secret, const Received& request);

}  // namespace waybill::tests
