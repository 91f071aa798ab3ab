#include "domain/workflows/retry.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <ctime>
#include <iterator>
#include <system_error>

#include "base/ascii.hpp"
#include "base/joined_texts.hpp"
#include "base/number.hpp"

namespace waybill::domain {
namespace {

using namespace std::chrono;

constexpr std::size_t most_delays = 50;
constexpr Duration longest_delay = days(30);

// Reads a number with its unit, such as `30m`.
std::optional<Duration> parse_delay(std::string_view text) {
  std::int64_t number = 0;
  const char* begin = text.data();
  const char* end = begin + text.size();
  const auto [unit, error] = std::from_chars(begin, end, number);
  if (error != std::errc{} || number < 0 || number > longest_delay / seconds(1) || end - unit != 1) {
    return std::nullopt;
  }
  switch (*unit) {
    case 's':
      return seconds(number);
    case 'm':
      return minutes(number);
    case 'h':
      return hours(number);
    case 'd':
      return days(number);
    default:
      return std::nullopt;
  }
}

// Writes a delay in the largest unit of which it is a multiple.
std::string delay_text(Duration delay) {
  constexpr std::pair<char, Duration> units[] = {{'d', days(1)}, {'h', hours(1)}, {'m', minutes(1)}};
  for (const auto& [unit, length] : units) {
    if (delay > Duration::zero() && delay % length == Duration::zero())
      return std::to_string(delay / length) + unit;
  }
  return std::to_string(delay / seconds(1)) + 's';
}

// The finalizer of SplitMix64 (Steele, Lea, Flood 2014): every bit of the input reaches every bit of the
// result.
std::uint64_t mixed(std::uint64_t value) {
  value ^= value >> 30U;
  value *= 0xbf58476d1ce4e5b9U;
  value ^= value >> 27U;
  value *= 0x94d049bb133111ebU;
  return value ^ (value >> 31U);
}

// A factor from 0.8 to 1.2, the same for the same attempt of the same run in every process.
double variation(const Guid& run, std::size_t attempt) {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  std::memcpy(&high, run.bytes.data(), 8);
  std::memcpy(&low, run.bytes.data() + 8, 8);
  const std::uint64_t hash = mixed(mixed(high) ^ low ^ (attempt * 0x9e3779b97f4a7c15U));
  const double unit = static_cast<double>(hash >> 11U) * 0x1p-53;
  return 0.8 + 0.4 * unit;
}

}  // namespace

std::variant<RetrySchedule, std::string> RetrySchedule::parse(std::string_view text) {
  std::vector<Duration> delays;
  if (trimmed(text, " \t").empty()) return RetrySchedule(std::move(delays));
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    const std::string_view entry = trimmed(text.substr(begin, comma - begin), " \t");
    const auto delay = parse_delay(entry);
    if (!delay) return "\"" + std::string(entry) + "\" is not a delay such as 5s, 30m, 2h or 1d";
    if (*delay > longest_delay) return "\"" + std::string(entry) + "\" is longer than 30 days";
    delays.push_back(*delay);
    if (delays.size() > most_delays) return "it has more than " + std::to_string(most_delays) + " delays";
    begin = comma + 1;
  }
  return RetrySchedule(std::move(delays));
}

RetrySchedule RetrySchedule::standard() {
  return RetrySchedule({seconds(5), minutes(5), minutes(30), hours(2), hours(5), hours(10), hours(14)});
}

std::string RetrySchedule::text() const {
  std::vector<std::string> texts;
  std::ranges::transform(delays_, std::back_inserter(texts), delay_text);
  return joined_texts(texts, ",");
}

Duration RetrySchedule::longest() const {
  Duration sum{};
  for (const Duration delay : delays_) sum += std::max<Duration>(delay + delay / 5, longest_retry_after);
  return sum;
}

std::optional<Time> RetrySchedule::next_attempt(std::size_t attempts_made, Time now, const Guid& run,
                                                std::optional<Duration> retry_after) const {
  if (attempts_made == 0 || attempts_made > delays_.size()) return std::nullopt;
  const auto delay = static_cast<double>(delays_[attempts_made - 1].count());
  const Duration varied(static_cast<std::int64_t>(delay * variation(run, attempts_made)));
  const Duration requested = std::min(retry_after.value_or(Duration::zero()), longest_retry_after);
  return now + std::max(varied, requested);
}

std::optional<Time> parse_http_date(std::string_view value) {
  const std::string text(value);
  for (const char* form :
       {"%a, %d %b %Y %H:%M:%S GMT", "%a, %d-%b-%y %H:%M:%S GMT", "%a %b %d %H:%M:%S %Y"}) {
    std::tm parts{};
    const char* end = ::strptime(text.c_str(), form, &parts);
    if (end == nullptr || end != text.c_str() + text.size()) continue;
    const year_month_day date(year(parts.tm_year + 1900), month(static_cast<unsigned>(parts.tm_mon + 1)),
                              day(static_cast<unsigned>(parts.tm_mday)));
    if (!date.ok()) return std::nullopt;
    return sys_days(date) + hours(parts.tm_hour) + minutes(parts.tm_min) + seconds(parts.tm_sec);
  }
  return std::nullopt;
}

std::optional<Duration> parse_retry_after(std::string_view value, Time now) {
  value = trimmed(value, " \t");
  if (all_digits(value)) {
    const auto count = parse_number<std::int64_t>(value);
    const bool is_beyond = !count || *count > longest_retry_after / seconds(1);
    return is_beyond ? longest_retry_after : Duration(seconds(*count));
  }
  const auto date = parse_http_date(value);
  if (!date || *date < now) return std::nullopt;
  return std::min<Duration>(*date - now, longest_retry_after);
}

}  // namespace waybill::domain
