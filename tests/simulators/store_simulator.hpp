#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/thread/mutex.hpp"
#include "tests/harness/receiver.hpp"

/// Code shared by the simulators of stores.
namespace waybill::tests {

using Parameters = std::map<std::string, std::string>;

std::string percent_decode(std::string_view text);

/// The query parameters of a target as PHP reads them: the last of two equal names counts; `a[]` is `a[0]`,
/// `a[1]`, …
Parameters query_parameters(std::string_view target);

Reply json_reply(int status, const json::value& body, Headers more = {});

/// A fault of a call.
struct Fault {
  std::function<void(Reply&)> spoil;
  bool reaches_store = false;  // the store performs the call; then its response is replaced
  std::string method = {};     // empty: any
  std::string path_part = {};  // part of the targets concerned; empty: any
};

/// A response with this status and an HTML page.
Fault failing_with(int status, Headers headers = {});
/// 429 with this Retry-After.
Fault too_many_requests(std::string retry_after);
/// The page of a firewall in front of a store: 200 or 403, HTML.
Fault firewall_page(int status);
/// The correct response, cut in the middle of its body.
Fault cut_answer();
/// The store performs the call, but the connection ends before the response.
Fault lost_answer();
/// The correct response, sent once the gate opens.
Fault slow_answer(std::shared_ptr<Gate> gate);

/// Pending faults, each for a number of calls. Thread-safe.
class FaultScript {
 public:
  void add(Fault fault, std::size_t times);
  /// The first fault that applies to this call, which uses it once.
  std::optional<Fault> take(std::string_view method, std::string_view target);
  /// Removes all faults.
  void clear();

 private:
  struct Entry {
    Fault fault;
    std::size_t left;
  };
  Mutex mutex_;
  std::deque<Entry> entries_ GUARDED_BY(mutex_);
};

}  // namespace waybill::tests
