#include "domain/time/cron.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <vector>

#include "base/ascii.hpp"
#include "base/number.hpp"

namespace waybill::domain {
namespace {

constexpr std::array<std::string_view, 12> month_names = {"jan", "feb", "mar", "apr", "may", "jun",
                                                          "jul", "aug", "sep", "oct", "nov", "dec"};
constexpr std::array<std::string_view, 7> weekday_names = {"sun", "mon", "tue", "wed", "thu", "fri", "sat"};
constexpr std::array<unsigned, 13> longest_month = {0, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

struct FieldRule {
  std::string_view name;
  unsigned first, last;
  std::span<const std::string_view> names = {};  // names of the values from `first` on
};

constexpr std::array<FieldRule, 5> rules = {{{"minute", 0, 59},
                                             {"hour", 0, 23},
                                             {"day of the month", 1, 31},
                                             {"month", 1, 12, month_names},
                                             {"day of the week", 0, 7, weekday_names}}};

std::optional<unsigned> read_value(std::string_view text, const FieldRule& rule) {
  const auto named = std::ranges::find(rule.names, ascii_lower(text));
  if (named != rule.names.end()) return rule.first + static_cast<unsigned>(named - rule.names.begin());
  if (text.empty() || !std::ranges::all_of(text, is_digit)) return std::nullopt;
  const auto value = parse_number<unsigned>(text);
  if (!value || *value < rule.first || *value > rule.last) return std::nullopt;
  return value;
}

/// Reads the end of a range. `sun` counts as 7 if the range begins after Sunday (`fri-sun`).
std::optional<unsigned> read_last(std::string_view text, const FieldRule& rule, unsigned first) {
  const auto last = read_value(text, rule);
  const bool is_sunday = rule.last == 7 && ascii_lower(text) == weekday_names[0];
  return is_sunday && first > 0 ? rule.last : last;
}

/// Adds the values of one entry of a list. False if it is malformed.
bool add_entry(std::string_view entry, const FieldRule& rule, std::vector<bool>& values) {
  unsigned step = 1;
  const auto slash = entry.find('/');
  if (slash != std::string_view::npos) {
    const auto given = parse_number<unsigned>(entry.substr(slash + 1));
    if (!given || *given == 0 || !std::ranges::all_of(entry.substr(slash + 1), is_digit)) return false;
    step = *given;
    entry = entry.substr(0, slash);
  }
  const auto dash = entry.find('-');
  std::optional<unsigned> first = rule.first;
  std::optional<unsigned> last = rule.last;
  if (entry != "*") {
    first = read_value(entry.substr(0, dash), rule);
    last =
        dash == std::string_view::npos ? first : read_last(entry.substr(dash + 1), rule, first.value_or(0));
    if (slash != std::string_view::npos && dash == std::string_view::npos)
      return false;  // a step needs a range
  }
  if (!first || !last || *first > *last) return false;
  for (unsigned value = *first; value <= *last; value += step) {
    values.at(value) = true;
    if (step > rule.last) break;
  }
  return true;
}

std::optional<std::vector<bool>> read_field(std::string_view text, const FieldRule& rule) {
  std::vector<bool> values(rule.last + 1, false);
  for (;;) {
    const auto comma = text.find(',');
    if (!add_entry(text.substr(0, comma), rule, values)) return std::nullopt;
    if (comma == std::string_view::npos) return values;
    text.remove_prefix(comma + 1);
  }
}

template <std::size_t size>
void assign(const std::vector<bool>& values, std::bitset<size>& set) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i]) set.set(i % size);
  }
}

template <std::size_t size>
std::vector<std::int64_t> numbers(const std::bitset<size>& set) {
  std::vector<std::int64_t> all;
  for (std::size_t i = 0; i < size; ++i) {
    if (set.test(i)) all.push_back(static_cast<std::int64_t>(i));
  }
  return all;
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; (at = text.find_first_not_of(" \t", at)) != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(" \t", at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

bool ever_comes(const Cron& cron) {
  if (cron.either_day) return true;
  for (unsigned month = 1; month <= 12; ++month) {
    for (unsigned day = 1; cron.months.test(month) && day <= longest_month.at(month); ++day) {
      if (cron.days.test(day)) return true;
    }
  }
  return false;
}

}  // namespace

std::variant<Cron, std::string> parse_cron(std::string_view text) {
  const std::vector<std::string_view> words = words_of(text);
  if (words.size() != rules.size())
    return "must have 5 fields: minute, hour, day of the month, month, day of the week";
  std::array<std::vector<bool>, rules.size()> fields;
  for (std::size_t i = 0; i < rules.size(); ++i) {
    auto values = read_field(words[i], rules.at(i));
    if (!values) return "has an invalid " + std::string(rules.at(i).name) + ": " + std::string(words[i]);
    fields.at(i) = std::move(*values);
  }
  Cron cron;
  assign(fields[0], cron.minutes);
  assign(fields[1], cron.hours);
  assign(fields[2], cron.days);
  assign(fields[3], cron.months);
  assign(fields[4], cron.weekdays);
  cron.either_day = !words[2].starts_with('*') && !words[4].starts_with('*');
  if (!ever_comes(cron)) return "never comes due";
  return cron;
}

CronNumbers numbers_of(const Cron& cron) {
  return {.minutes = numbers(cron.minutes),
          .hours = numbers(cron.hours),
          .days = numbers(cron.days),
          .months = numbers(cron.months),
          .weekdays = numbers(cron.weekdays)};
}

}  // namespace waybill::domain
