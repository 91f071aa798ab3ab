#pragma once

#include <source_location>
#include <stdexcept>

namespace waybill {

/// A rule of the code that was found broken: a defect of waybill, not of its input.
class BrokenRule : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// Logs a broken rule with its place, and counts it (Observable::rule_broken). `check` and `require` call it.
void report_broken(const char* rule, const std::source_location& place);
[[noreturn]] void throw_broken(const char* rule, const std::source_location& place);

/// Returns `holds`. If it is false, reports the rule, a sentence that says what must be true. For places that
/// must not throw, or that can do without: the caller then leaves the state as it is. On in every build.
inline bool check(bool holds, const char* rule,
                  const std::source_location& place = std::source_location::current()) {
  if (!holds) [[unlikely]]
    report_broken(rule, place);
  return holds;
}

/// Throws BrokenRule, after the report, if the rule is broken. The operation ends, and the process continues:
/// the loops of threads and the handlers of requests catch it like any other error. On in every build.
inline void require(bool holds, const char* rule,
                    const std::source_location& place = std::source_location::current()) {
  if (!holds) [[unlikely]]
    throw_broken(rule, place);
}

}  // namespace waybill
