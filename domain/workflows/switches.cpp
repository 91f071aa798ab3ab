#include "domain/workflows/switches.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <stdexcept>

namespace waybill::domain {

std::vector<Switch> parse_switches(std::string_view text) {
  std::vector<Switch> switches;
  while (!text.empty()) {
    std::int64_t micros = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), micros);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    const bool is_read = error == std::errc() && !text.empty() &&
                         (text.front() == '+' || text.front() == '-') && (text.size() == 1 || text[1] == ',');
    if (!is_read) throw std::invalid_argument("unreadable switches");
    switches.push_back({Time(Duration(micros)), text.front() == '+'});
    text.remove_prefix(std::min<std::size_t>(2, text.size()));
  }
  return switches;
}

bool was_on(bool is_active, Time active_since, std::span<const Switch> switches, Time at, Time now) {
  if (is_active && (active_since <= at || active_since > now)) return true;
  if (switches.empty() || switches.back().is_on != is_active || switches.back().at > now) return false;
  const auto later = std::ranges::upper_bound(switches, at, {}, &Switch::at);
  return later != switches.begin() && std::prev(later)->is_on;
}

}  // namespace waybill::domain
