#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <list>

#include "api/http/connection.hpp"

namespace waybill::api {

/// The connections of one io thread: those that wait for a request, those that are stalled, since they wait
/// for their client during a request, both with the longest waiting first, and those that work. A connection
/// is in one of the three from `add` to `remove`, and moves without an allocation. The io thread only, except
/// for `waiting_since` and `stalled_since`.
class ConnectionLists {
 public:
  static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

  bool empty() const { return working_.empty() && waiting_.empty() && stalled_.empty(); }

  /// Adds a connection that works. It must stay until `remove`.
  void add(Connection& connection) {
    connection.place = {.list = &working_, .at = working_.insert(working_.end(), &connection), .since = {}};
  }
  void remove(Connection& connection) {
    connection.place.list->erase(connection.place.at);
    note_longest();
  }
  void begins_to_wait(Connection& connection, Connection::Steady::time_point now) {
    put_into(waiting_, connection, now);
  }
  void begins_to_stall(Connection& connection, Connection::Steady::time_point now) {
    put_into(stalled_, connection, now);
  }
  void begins_to_work(Connection& connection, Connection::Steady::time_point now) {
    put_into(working_, connection, now);
  }

  /// Null if none waits.
  Connection* longest_waiting() const { return first_of(waiting_); }
  /// The ticks of the steady clock since which that connection waits; `never` if none waits. Any thread.
  std::int64_t waiting_since() const { return waiting_since_.load(std::memory_order_relaxed); }
  /// The same for the stalled connections.
  Connection* longest_stalled() const { return first_of(stalled_); }
  std::int64_t stalled_since() const { return stalled_since_.load(std::memory_order_relaxed); }

  /// `act` may not add, move or remove connections at once.
  template <typename Act>
  void for_all(Act act) const {
    for (const auto* const list : {&waiting_, &stalled_, &working_}) {
      for (Connection* const connection : *list) act(*connection);
    }
  }

 private:
  void put_into(std::list<Connection*>& list, Connection& connection, Connection::Steady::time_point now) {
    list.splice(list.end(), *connection.place.list, connection.place.at);
    connection.place.list = &list;
    connection.place.since = now;
    note_longest();
  }

  static Connection* first_of(const std::list<Connection*>& list) {
    return list.empty() ? nullptr : list.front();
  }

  static std::int64_t since(const Connection* longest) {
    return longest == nullptr ? never : longest->place.since.time_since_epoch().count();
  }

  void note_longest() {
    waiting_since_.store(since(longest_waiting()), std::memory_order_relaxed);
    stalled_since_.store(since(longest_stalled()), std::memory_order_relaxed);
  }

  std::list<Connection*> working_;
  std::list<Connection*> waiting_;
  std::list<Connection*> stalled_;
  std::atomic<std::int64_t> waiting_since_ = never;
  std::atomic<std::int64_t> stalled_since_ = never;
};

}  // namespace waybill::api
