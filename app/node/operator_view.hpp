#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "base/clock.hpp"
#include "base/thread/mutex.hpp"
#include "storage/blocking/connection.hpp"

namespace waybill::app {

/// A table of the page for operators.
struct OperatorTable {
  std::string title;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;  // an empty text for null
  std::string fault;                           // why it could not be read; empty if it was
};

/// The content of the page for operators.
struct OperatorFacts {
  std::vector<OperatorTable> tables;  // as last read; empty before that
  std::optional<Time> read_at;        // by the clock of this machine
  std::string fault;                  // why the tables are not those of now; empty if they are
};

/// The content of the page for operators, from the database. It is read only while somebody views the page,
/// by the thread and session of Presence, and at most every 5 s, however many view it. Any thread may call
/// any method. A crash loses nothing.
class OperatorView {
 public:
  /// Called when a view wants newer facts, on the thread of that view. Before the first view.
  void on_wanted(std::function<void()> call) { on_wanted_ = std::move(call); }

  /// Returns facts of the last 5 s. Waits up to 3 s for them, and then returns the last ones, with the
  /// reason. Resumes on the executor of the caller.
  boost::asio::awaitable<OperatorFacts> read() EXCLUDES(mutex_);

  bool is_wanted() const EXCLUDES(mutex_);
  /// Reads the tables, for up to 3 s. A table that the server refuses or that takes longer than a second has
  /// its reason instead of rows. Throws DatabaseUnavailable.
  void refresh(storage::blocking::Connection& session) EXCLUDES(mutex_);
  /// Ends the wait of the present views.
  void database_is_away() EXCLUDES(mutex_);

 private:
  using Moment = std::chrono::steady_clock::time_point;

  bool want_if_old() EXCLUDES(mutex_);
  OperatorFacts facts() const EXCLUDES(mutex_);

  std::function<void()> on_wanted_;
  mutable Mutex mutex_;
  bool is_wanted_ GUARDED_BY(mutex_) = false;
  std::optional<Moment> answered_at_ GUARDED_BY(mutex_);
  OperatorFacts facts_ GUARDED_BY(mutex_);
};

}  // namespace waybill::app
