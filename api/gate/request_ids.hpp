#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace waybill::api {

/// True if a client's request id can be used: 1 to 128 letters, digits, dots, underscores and hyphens.
bool is_request_id(std::string_view id);

/// Generates ids for requests that have none. The first half is random for each thread, so that no two ids
/// are equal. Used by one thread.
class RequestIds {
 public:
  RequestIds();
  std::string next();

 private:
  std::uint64_t prefix_;
  std::uint64_t count_;
};

}  // namespace waybill::api
