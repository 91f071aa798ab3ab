#include "api/http/address_block.hpp"

#include <algorithm>
#include <string>

#include <boost/asio/ip/address.hpp>

#include "base/number.hpp"

namespace waybill::api {
namespace {

namespace ip = boost::asio::ip;

constexpr unsigned mapped_bits = 96;  // RFC 4291 section 2.5.5.2: ::ffff:0:0/96
constexpr unsigned all_bits = 128;

bool is_mapped(const ip::address_v6::bytes_type& bytes) { return ip::address_v6(bytes).is_v4_mapped(); }

}  // namespace

std::optional<AddressBlock::Bytes> AddressBlock::bytes_of(std::string_view address) {
  boost::system::error_code error;
  const auto parsed = ip::make_address(std::string(address), error);
  if (error) return std::nullopt;
  return (parsed.is_v4() ? ip::make_address_v6(ip::v4_mapped, parsed.to_v4()) : parsed.to_v6()).to_bytes();
}

std::optional<AddressBlock> AddressBlock::parse(std::string_view text) {
  const auto slash = text.find('/');
  const auto address = text.substr(0, slash);
  const auto first = bytes_of(address);
  if (!first) return std::nullopt;
  if (slash == std::string_view::npos) return AddressBlock(*first, all_bits);
  const unsigned before = address.find(':') == std::string_view::npos ? mapped_bits : 0;
  const auto bits = parse_number<unsigned>(text.substr(slash + 1));
  if (!bits || *bits > all_bits - before) return std::nullopt;
  return AddressBlock(*first, before + *bits);
}

bool AddressBlock::has(const Bytes& address) const {
  // A block of IPv6 addresses, such as ::/0, has no IPv4 address.
  if (bits_ < mapped_bits && is_mapped(address)) return false;
  const std::size_t whole = bits_ / 8;
  if (!std::equal(first_.begin(), first_.begin() + whole, address.begin())) return false;
  const unsigned rest = bits_ % 8;
  return rest == 0 || (first_[whole] ^ address[whole]) >> (8 - rest) == 0;
}

bool AddressBlock::any_has(std::span<const AddressBlock> blocks, std::string_view address) {
  if (blocks.empty()) return false;
  const auto bytes = bytes_of(address);
  return bytes && std::ranges::any_of(blocks, [&](const AddressBlock& block) { return block.has(*bytes); });
}

}  // namespace waybill::api
