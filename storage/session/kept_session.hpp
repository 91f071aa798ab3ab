#pragma once

#include <chrono>
#include <concepts>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/backoff.hpp"
#include "base/clock.hpp"
#include "storage/session/session_limits.hpp"
#include "storage/statement/errors.hpp"

namespace waybill::storage {

/// The session of a thread that continues after every failure: it is opened when it is needed and replaced
/// after an error that makes it unusable, and the pauses between attempts grow from 100 ms to 1 s. `S` is
/// Session or blocking::Connection. One thread.
template <typename S>
class KeptSession {
 public:
  /// Connects. Throws DatabaseUnavailable or StatementError.
  using Open = std::function<std::unique_ptr<S>(const char* application_name)>;

  /// `application_name` and `settings`, statements that a new session begins with, outlive the object.
  KeptSession(std::string database_url, const char* application_name, std::vector<const char*> settings = {},
              const SessionLimits& limits = worker_limits)
      : KeptSession([url = std::move(database_url),
                     limits](const char* name) { return std::make_unique<S>(url, name, limits); },
                    application_name, std::move(settings)) {}
  KeptSession(Open open, const char* application_name, std::vector<const char*> settings)
      : open_(std::move(open)), application_name_(application_name), settings_(std::move(settings)) {}

  /// Opens the session if there is none. Returns true if it did. Throws DatabaseUnavailable or
  /// StatementError; there is no session then.
  bool open() {
    return open([](S&) {});
  }
  /// As above. `prepare` is called with a new session; if it throws, there is no session.
  template <std::invocable<S&> Prepare>
  bool open(Prepare prepare) {
    if (session_) return false;
    auto session = open_(application_name_);
    for (const char* const setting : settings_) session->execute(setting);
    prepare(*session);
    session_ = std::move(session);
    return true;
  }
  /// Closes the session; the next `open` opens another.
  void close() { session_.reset(); }
  bool is_open() const { return session_ != nullptr; }
  /// The session, which must be open.
  S& operator*() const { return *session_; }
  S* operator->() const { return session_.get(); }

  /// Notes that the work of a turn succeeded: the next pause is the shortest.
  void worked() { backoff_.reset(); }
  /// Notes that it failed, and closes the session if the error made it unusable. Returns the pause before the
  /// next attempt.
  Duration failed(const std::exception& error) {
    if (spoils_session(error)) close();
    return backoff_.next();
  }

 private:
  const Open open_;
  const char* const application_name_;
  const std::vector<const char*> settings_;
  std::unique_ptr<S> session_;
  Backoff backoff_{std::chrono::milliseconds(100), std::chrono::seconds(1)};
};

}  // namespace waybill::storage
