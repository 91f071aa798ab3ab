#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "tests/harness/receiver.hpp"

/// What the simulators of stores have in common.
namespace waybill::tests {

using Parameters = std::map<std::string, std::string>;

std::string percent_decode(std::string_view text);

/// The parameters of a target's query as PHP reads them: of two equal names the last counts, `a[]` is `a[0]`,
/// `a[1]`, …
Parameters query_parameters(std::string_view target);

Reply json_reply(int status, const json::value& body, Headers more = {});

/// What goes wrong with a call.
struct Fault {
  std::function<void(Reply&)> spoil;
  bool reaches_store = false;  // the store does as it is asked, and its answer is spoiled then
  std::string method = {};     // empty: any
  std::string path_part = {};  // of the targets that it is for; empty: any
};

/// The store answers with this status and an HTML page.
Fault failing_with(int status, Headers headers = {});
/// 429 with this Retry-After.
Fault too_many_requests(std::string retry_after);
/// The page that a firewall puts before a store: 200 or 403, HTML.
Fault firewall_page(int status);
/// The right answer, cut in mid-body.
Fault cut_answer();
/// The store did what it was asked, but the connection ends before it answers.
Fault lost_answer();
/// The right answer, once the gate opens.
Fault slow_answer(std::shared_ptr<Gate> gate);

/// Faults still to come, each for a number of calls. Thread-safe.
class FaultScript {
 public:
  void add(Fault fault, std::size_t times);
  /// The first fault that this call meets, used up by one.
  std::optional<Fault> take(std::string_view method, std::string_view target);
  /// No faults any more.
  void clear();

 private:
  struct Entry {
    Fault fault;
    std::size_t left;
  };
  std::mutex mutex_;
  std::deque<Entry> entries_;  // under mutex_
};

}  // namespace waybill::tests
