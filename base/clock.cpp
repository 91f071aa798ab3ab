#include "base/clock.hpp"

#include <algorithm>
#include <array>

#include "base/ascii.hpp"

namespace waybill {
namespace {

using namespace std::chrono;

class SystemClock final : public Clock {
 public:
  Time now() const override { return time_point_cast<Duration>(std::chrono::system_clock::now()); }
};

void write_digits(char* out, unsigned value, std::size_t count) {
  for (std::size_t i = count; i-- > 0; value /= 10) out[i] = static_cast<char>('0' + value % 10);
}

// `YYYY-MM-DD?HH:MM:SS`: 19 characters.
void write_seconds(char* out, Time time, char separator) {
  const auto day = floor<days>(time);
  const year_month_day date(day);
  const auto second = static_cast<unsigned>(floor<seconds>(time - day).count());
  write_digits(out, static_cast<unsigned>(static_cast<int>(date.year())), 4);
  out[4] = '-';
  write_digits(out + 5, static_cast<unsigned>(date.month()), 2);
  out[7] = '-';
  write_digits(out + 8, static_cast<unsigned>(date.day()), 2);
  out[10] = separator;
  write_digits(out + 11, second / 3600, 2);
  out[13] = ':';
  write_digits(out + 14, second / 60 % 60, 2);
  out[16] = ':';
  write_digits(out + 17, second % 60, 2);
}

unsigned microseconds_of(Time time) { return static_cast<unsigned>((time - floor<seconds>(time)).count()); }

// Reads a text from the left; a method that returns true has consumed what it describes.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  bool at_end() const { return rest_.empty(); }
  bool next_is(char c) const { return rest_.starts_with(c); }

  bool one_of(std::string_view characters) {
    if (rest_.empty() || characters.find(rest_.front()) == std::string_view::npos) return false;
    last_ = rest_.front();
    rest_.remove_prefix(1);
    return true;
  }
  char last() const { return last_; }

  bool number(std::size_t digits, int& value) {
    if (rest_.size() < digits) return false;
    value = 0;
    for (const char c : rest_.substr(0, digits)) {
      if (!is_digit(c)) return false;
      value = value * 10 + (c - '0');
    }
    rest_.remove_prefix(digits);
    return true;
  }

  // 1 to `most` digits after a point, as microseconds; finer digits are cut off.
  bool fraction(std::size_t most, int& micros) {
    micros = 0;
    std::size_t digits = 0;
    int scale = 100'000;
    for (; digits < rest_.size() && is_digit(rest_[digits]); ++digits, scale /= 10) {
      micros += (rest_[digits] - '0') * scale;
    }
    rest_.remove_prefix(digits);
    return digits >= 1 && digits <= most;
  }

  // 1 to 9 digits.
  bool integer(std::int64_t& value) {
    std::size_t digits = 0;
    while (digits < rest_.size() && is_digit(rest_[digits])) ++digits;
    if (digits == 0 || digits > 9) return false;
    value = 0;
    for (const char c : rest_.substr(0, digits)) value = value * 10 + (c - '0');
    rest_.remove_prefix(digits);
    return true;
  }

 private:
  std::string_view rest_;
  char last_ = '\0';
};

bool scan_date(Scanner& scanner, sys_days& day) {
  int y = 0;
  int m = 0;
  int d = 0;
  if (!scanner.number(4, y) || !scanner.one_of("-") || !scanner.number(2, m) || !scanner.one_of("-") ||
      !scanner.number(2, d)) {
    return false;
  }
  const year_month_day date(year(y), month(static_cast<unsigned>(m)),
                            std::chrono::day(static_cast<unsigned>(d)));
  if (y < 1 || !date.ok()) return false;
  day = sys_days(date);
  return true;
}

struct TimeOfDay {
  int hour = 0;
  int minute = 0;
  int second = 0;
  int micros = 0;
  Duration since_midnight() const {
    return hours(hour) + minutes(minute) + seconds(second) + microseconds(micros);
  }
};

bool scan_minutes(Scanner& scanner, TimeOfDay& time) {
  return scanner.number(2, time.hour) && scanner.one_of(":") && scanner.number(2, time.minute) &&
         time.hour <= 23 && time.minute <= 59;
}

// `:SS` with or without a fraction. Accepts a 60th second; the caller checks that it is a leap second.
bool scan_seconds(Scanner& scanner, TimeOfDay& time, std::size_t most_fraction_digits) {
  if (!scanner.one_of(":") || !scanner.number(2, time.second) || time.second > 60) return false;
  return !scanner.one_of(".") || scanner.fraction(most_fraction_digits, time.micros);
}

bool scan_offset(Scanner& scanner, minutes& offset) {
  if (scanner.one_of("Zz")) return true;
  if (!scanner.one_of("+-")) return false;
  const bool negative = scanner.last() == '-';
  int hour = 0;
  int minute = 0;
  if (!scanner.number(2, hour) || !scanner.one_of(":") || !scanner.number(2, minute)) return false;
  if (hour > 23 || minute > 59) return false;
  offset = hours(hour) + minutes(minute);
  if (negative) offset = -offset;
  return true;
}

bool is_leap_second(Time second_after) {
  const auto midnight = floor<days>(second_after);
  return second_after - midnight < seconds(1);
}

constexpr Time first_time = sys_days(year(1) / 1 / 1);
constexpr Time last_time = sys_days(year(10000) / 1 / 1) - Duration(1);
// Stored times have milliseconds. A time after the last one would be rounded into the year 10000.
constexpr Time last_millisecond = floor<milliseconds>(last_time);

struct DurationUnit {
  char letter;
  bool of_time;  // true for a unit that follows the T
  Duration length;
};

constexpr auto duration_units = std::to_array<DurationUnit>({
    {'W', false, weeks(1)},
    {'D', false, days(1)},
    {'H', true, hours(1)},
    {'M', true, minutes(1)},
    {'S', true, seconds(1)},
});

// Reads one number with its letter. `next_unit` is the first unit that may still follow.
bool scan_component(Scanner& scanner, bool in_time, std::size_t& next_unit, Duration& sum) {
  std::int64_t value = 0;
  int micros = 0;
  if (!scanner.integer(value)) return false;
  const bool has_fraction = scanner.one_of(".");
  if (has_fraction && !scanner.fraction(6, micros)) return false;
  if (!scanner.one_of(in_time ? "HMS" : "WD")) return false;
  for (; next_unit < duration_units.size(); ++next_unit) {
    const DurationUnit& unit = duration_units[next_unit];
    if (unit.of_time != in_time || unit.letter != scanner.last()) continue;
    if (has_fraction && unit.letter != 'S') return false;
    if (value > longest_duration / unit.length) return false;
    sum += unit.length * value + microseconds(micros);
    ++next_unit;
    return sum <= longest_duration;
  }
  return false;
}

void append_component(std::string& out, std::int64_t value, char letter) {
  if (value == 0) return;
  out += std::to_string(value);
  out += letter;
}

void append_seconds(std::string& out, Duration duration) {
  const auto whole = floor<seconds>(duration);
  const auto micros = static_cast<unsigned>((duration - whole).count());
  if (micros == 0) return append_component(out, whole.count(), 'S');
  std::string digits(6, '0');
  write_digits(digits.data(), micros, 6);
  digits.erase(digits.find_last_not_of('0') + 1);
  out += std::to_string(whole.count()) + "." + digits + "S";
}

}  // namespace

const Clock& system_clock() {
  static const SystemClock clock;
  return clock;
}

void write_timestamp(char* out, Time time) {
  write_seconds(out, time, 'T');
  out[19] = '.';
  write_digits(out + 20, microseconds_of(time) / 1000, 3);
  out[23] = 'Z';
}

std::string format_timestamp(Time time) {
  std::string text(timestamp_length, '\0');
  write_timestamp(text.data(), time);
  return text;
}

std::optional<Time> parse_timestamp(std::string_view text) {
  Scanner scanner(text);
  sys_days day;
  TimeOfDay time;
  minutes offset(0);
  if (!scan_date(scanner, day) || !scanner.one_of("Tt ") || !scan_minutes(scanner, time)) return std::nullopt;
  if (scanner.next_is(':') && !scan_seconds(scanner, time, 9)) return std::nullopt;
  if (!scan_offset(scanner, offset) || !scanner.at_end()) return std::nullopt;
  const Time result = day + time.since_midnight() - offset;
  if (time.second == 60 && !is_leap_second(result)) return std::nullopt;
  if (result < first_time || result > last_time) return std::nullopt;
  return std::min(result, last_millisecond);
}

Time shifted(Time time, Duration by) { return std::clamp(time + by, first_time, last_time); }

std::optional<Time> parse_date(std::string_view text) {
  Scanner scanner(text);
  sys_days day;
  if (!scan_date(scanner, day) || !scanner.at_end()) return std::nullopt;
  return Time(day);
}

std::optional<Time> parse_sql_timestamp(std::string_view text) {
  Scanner scanner(text);
  sys_days day;
  TimeOfDay time;
  int offset = 0;
  if (!scan_date(scanner, day) || !scanner.one_of(" ") || !scan_minutes(scanner, time) ||
      !scan_seconds(scanner, time, 6) || time.second == 60 || !scanner.one_of("+") ||
      !scanner.number(2, offset) || offset != 0 || !scanner.at_end()) {
    return std::nullopt;
  }
  return day + time.since_midnight();
}

std::string format_sql_timestamp(Time time) {
  std::string text = "0000-00-00 00:00:00.000000+00";
  write_seconds(text.data(), time, ' ');
  write_digits(text.data() + 20, microseconds_of(time), 6);
  constexpr Time year_10000 = std::chrono::sys_days(std::chrono::year(10000) / 1 / 1);
  if (time >= year_10000) text.insert(0, "1");  // the end of a range whose last day is in 9999
  return text;
}

bool is_time_of_day(std::string_view text) {
  Scanner scanner(text);
  int hour = 0;
  int minute = 0;
  return scanner.number(2, hour) && scanner.one_of(":") && scanner.number(2, minute) && scanner.at_end() &&
         hour <= 23 && minute <= 59;
}

std::optional<Duration> parse_duration(std::string_view text) {
  Scanner scanner(text);
  if (!scanner.one_of("P") || scanner.at_end()) return std::nullopt;
  Duration sum(0);
  std::size_t next_unit = 0;
  bool in_time = false;
  while (!scanner.at_end()) {
    if (!in_time && scanner.one_of("T")) {
      in_time = true;
      if (scanner.at_end()) return std::nullopt;
    }
    if (!scan_component(scanner, in_time, next_unit, sum)) return std::nullopt;
  }
  return sum;
}

std::string format_duration(Duration duration) {
  if (duration == Duration::zero()) return "PT0S";
  const auto whole_days = floor<days>(duration);
  const Duration rest = duration - whole_days;
  std::string text = "P";
  if (rest == Duration::zero() && whole_days.count() % 7 == 0) {
    append_component(text, whole_days.count() / 7, 'W');
    return text;
  }
  append_component(text, whole_days.count(), 'D');
  if (rest == Duration::zero()) return text;
  text += 'T';
  append_component(text, floor<hours>(rest).count(), 'H');
  append_component(text, floor<minutes>(rest).count() % 60, 'M');
  append_seconds(text, rest % minutes(1));
  return text;
}

std::int64_t to_unix_ms(Time time) { return floor<milliseconds>(time.time_since_epoch()).count(); }

std::int64_t to_unix_seconds(Time time) { return floor<seconds>(time.time_since_epoch()).count(); }

}  // namespace waybill
