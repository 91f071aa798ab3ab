#pragma once

#include <string>
#include <string_view>

#include "base/json.hpp"
#include "net/http/http_client.hpp"

namespace waybill::app {

/// A blocking client of the API, for the command line.
class ApiClient {
 public:
  struct Answer {
    int status = 0;
    json::value body;  // null if it is not JSON
  };

  /// `base_url` has no trailing slash.
  ApiClient(std::string base_url, std::string token);

  /// `body` is sent as JSON unless it is null. Throws CommandError when nothing answers.
  Answer call(std::string_view method, std::string_view path, const json::value& body = nullptr);

  /// Returns the `data` of a 2xx answer; throws CommandError with the API's message for any other.
  json::value data(std::string_view method, std::string_view path, const json::value& body = nullptr);

 private:
  std::string base_url_;
  std::string token_;
  net::HttpClient http_;
};

}  // namespace waybill::app
