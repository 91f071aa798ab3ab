#include "api/http/client_address.hpp"

#include <algorithm>

#include "base/ascii.hpp"

namespace waybill::api {
namespace {

constexpr std::size_t longest_address = 45;  // IPv6 with an embedded IPv4 address

bool is_address(std::string_view text) {
  return !text.empty() && text.size() <= longest_address &&
         std::ranges::all_of(text, [](char c) { return hex_value(c) >= 0 || c == '.' || c == ':'; });
}

}  // namespace

std::string_view client_address(std::string_view peer, std::string_view forwarded_for,
                                std::span<const AddressBlock> trusted_proxies) {
  while (AddressBlock::any_has(trusted_proxies, peer)) {
    const auto comma = forwarded_for.rfind(',');
    const auto start = comma == std::string_view::npos ? 0 : comma + 1;
    const auto last = trimmed(forwarded_for.substr(start), " \t");
    if (!is_address(last)) break;
    peer = last;
    forwarded_for = forwarded_for.substr(0, comma == std::string_view::npos ? 0 : comma);
  }
  return peer;
}

}  // namespace waybill::api
