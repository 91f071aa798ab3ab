#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.hpp"
#include "connectors/connector.hpp"

namespace waybill::connectors {

/// Query parameters, not percent-encoded.
using MedusaQuery = std::vector<std::pair<std::string, std::string>>;

/// The API does not have the record; the message is the API's.
class MissingRecord : public StoreError {
 public:
  using StoreError::StoreError;
};

/// Calls of the Admin API of one Medusa 2 server. One coroutine at a time.
class MedusaApi {
 public:
  MedusaApi(const StoreCredentials& credentials, Send send, const Clock& clock);

  /// The answer to a GET of `path` ("/admin/orders"). Throws StoreError: MissingRecord for an unknown record,
  /// OversizedAnswer for an answer beyond the limit.
  asio::awaitable<json::object> get(std::string path, MedusaQuery query = {});
  asio::awaitable<json::object> post(std::string path, json::object body);

  /// Throws StoreError credentials if a POST of this body is refused for missing rights; ignores other
  /// refusals.
  asio::awaitable<void> require_right(std::string path, json::object body);

  /// The store's time at its last answer; our time before the first answer or if the answer has no date.
  Time store_time() const { return store_time_; }

  /// The records of a list's answer; throws StoreError wrong_store if there is no such list.
  static json::array records(json::object& answer, std::string_view name);

 private:
  asio::awaitable<net::HttpResponse> call(std::string method, std::string target, std::string body);

  std::string url_;
  std::string authorization_;
  Send send_;
  Time store_time_;
};

}  // namespace waybill::connectors
