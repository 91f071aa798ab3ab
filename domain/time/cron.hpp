#pragma once

#include <bitset>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace waybill::domain {

/// A cron expression of five fields: minute, hour, day of the month, month, day of the week. A field is `*`,
/// a number, a range `a-b`, a step `*/n` or `a-b/n`, or a list of these with commas; months and days of the
/// week may be three English letters. Sunday is 0 or 7; `sun` can begin and end a range. If both days are
/// restricted (do not begin with `*`), one of them must match, as in Vixie cron.
struct Cron {
  std::bitset<60> minutes;
  std::bitset<24> hours;
  std::bitset<32> days;     // 1 to 31
  std::bitset<13> months;   // 1 to 12
  std::bitset<7> weekdays;  // 0 is Sunday
  bool either_day = false;  // a day of the month or of the week is enough

  bool operator==(const Cron&) const = default;
};

/// Reads an expression. If it is malformed or never comes due (`0 0 30 2 *`), returns the reason as a text
/// that follows the name of its field.
std::variant<Cron, std::string> parse_cron(std::string_view text);

/// The values of each field of an expression, as the database takes them.
struct CronNumbers {
  std::vector<std::int64_t> minutes, hours, days, months, weekdays;
};
CronNumbers numbers_of(const Cron& cron);

}  // namespace waybill::domain
