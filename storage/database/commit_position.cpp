#include "storage/database/commit_position.hpp"

#include <charconv>
#include <system_error>

namespace waybill::storage {
namespace {

constexpr int hexadecimal = 16;

template <typename Number>
std::optional<Number> parse_hex(std::string_view text) {
  Number value{};
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  const auto [stop, error] = std::from_chars(begin, end, value, hexadecimal);
  if (text.empty() || error != std::errc() || stop != end) return std::nullopt;
  return value;
}

template <typename Number>
std::string to_hex(Number value) {
  char digits[16];
  const auto written = std::to_chars(std::begin(digits), std::end(digits), value, hexadecimal);
  return {std::begin(digits), written.ptr};
}

std::optional<CommitPosition> position_of(std::optional<std::uint32_t> timeline,
                                          std::optional<std::uint64_t> lsn) {
  if (!timeline || *timeline == 0 || !lsn) return std::nullopt;
  return CommitPosition{*timeline, *lsn};
}

}  // namespace

std::optional<std::uint64_t> parse_lsn(std::string_view text) {
  const auto slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto high = parse_hex<std::uint32_t>(text.substr(0, slash));
  const auto low = parse_hex<std::uint32_t>(text.substr(slash + 1));
  if (!high || !low) return std::nullopt;
  return std::uint64_t{*high} << 32U | *low;
}

std::optional<CommitPosition> CommitPosition::from_sql(std::string_view timeline, std::string_view lsn) {
  return position_of(parse_hex<std::uint32_t>(timeline), parse_lsn(lsn));
}

std::optional<CommitPosition> CommitPosition::parse(std::string_view text) {
  const auto dash = text.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  return position_of(parse_hex<std::uint32_t>(text.substr(0, dash)),
                     parse_hex<std::uint64_t>(text.substr(dash + 1)));
}

std::string CommitPosition::to_string() const { return to_hex(timeline) + '-' + to_hex(lsn); }

}  // namespace waybill::storage
