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

/// A business under test: a client with its token, and a `psql` session to the same database. For one thread
/// at a time. Methods that create something throw std::runtime_error with the response if it is an error.
class Tenant {
 public:
  Tenant(const Waybill& api, std::string_view name);

  Http http;
  Session sql;
  std::string name;
  std::string id;  // guid of the business

  /// A path of a receiver that no other tenant uses.
  std::string path(std::string_view hook = "hook") const { return "/" + name + "/" + std::string(hook); }

  /// Creates an order through the API; the given fields replace or extend the usual ones. Returns its guid.
  std::string create_order(const json::object& fields = {});
  /// Inserts an order by plain SQL with only the required columns and those given (as SQL expressions).
  std::string insert_order(const std::map<std::string, std::string>& columns = {});

  /// Inserts a shipment in the same way, of an order unless that is empty.
  std::string insert_shipment(std::string_view order, std::string_view status = "created");
  void move_shipment(std::string_view shipment, std::string_view status);
  /// The current status of an order or shipment.
  std::string status_of(std::string_view record);
  /// Its status changes in the API, oldest first: "pending > shipped by workflow".
  std::vector<std::string> history_of_order(std::string_view order);

  void put_order(std::string_view order, const json::object& fields);
  void move_order(std::string_view order, std::string_view status);
  void update_orders(std::string_view set_and_where);

  /// Configures a webhook workflow; `definition` replaces or extends the usual fields. Returns its data.
  json::object configure(const json::object& definition);
  /// The guid of a new webhook workflow.
  std::string webhook(std::string_view url, std::string_view trigger, const json::object& more = {});
  /// The guid of a new workflow that sets the status of `recipient`.
  std::string update_status(std::string_view trigger, std::string_view recipient, std::string_view status,
                            const json::object& more = {});
  json::object workflow(std::string_view guid);
  /// The guid of the managed workflow that sets this status of orders.
  std::string managed(std::string_view status);

  /// Runs as listed, newest first; `query` like "entityId=…".
  std::vector<json::object> runs(std::string_view query);
  json::object run(std::string_view guid);
  /// The only run of a workflow once it has this status; throws on a timeout.
  json::object run_with_status(std::string_view workflow, std::string_view status,
                               Deadline deadline = default_deadline);

  /// Waits until every committed event of the business is matched and recorded.
  void settle(Deadline deadline = default_deadline);
};

/// The guid of a trigger by the contract: UUIDv5 of its code.
std::string trigger_guid(std::string_view code);

/// The result of Standard Webhooks' npm package: 0 valid, 1 invalid, otherwise the check failed.
Finished verify_with_npm(std::string_view secret, const Received& request);

/// The signatures of a request, each starting with `v1,`.
std::vector<std::string> signatures(const Received& request);

/// The signature `v1,…` of the request with `secret`.
std::string expected_signature(std::string_view secret, const Received& request);

}  // namespace waybill::tests
