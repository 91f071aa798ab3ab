#include "api/gate/request_ids.hpp"

#include <algorithm>
#include <cstring>

#include "base/ascii.hpp"
#include "base/crypto.hpp"

namespace waybill::api {

bool is_request_id(std::string_view id) {
  return !id.empty() && id.size() <= 128 && std::ranges::all_of(id, [](char c) {
    return is_alphanumeric(c) || c == '.' || c == '_' || c == '-';
  });
}

RequestIds::RequestIds() : prefix_(0), count_(0) {
  const auto random = random_bytes(sizeof(prefix_) + sizeof(count_));
  std::memcpy(&prefix_, random.data(), sizeof(prefix_));
  std::memcpy(&count_, random.data() + sizeof(prefix_), sizeof(count_));
}

std::string RequestIds::next() {
  constexpr std::string_view digits = "0123456789abcdef";
  ++count_;
  std::string id(32, '0');
  for (std::size_t index = 0; index < 16; ++index) {
    id[15 - index] = digits[(prefix_ >> (4 * index)) & 15];
    id[31 - index] = digits[(count_ >> (4 * index)) & 15];
  }
  return id;
}

}  // namespace waybill::api
