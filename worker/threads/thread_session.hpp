#pragma once

#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/backoff.hpp"
#include "base/clock.hpp"
#include "storage/session/session.hpp"

namespace waybill::worker {

/// The session of a thread that continues after every failure: it is opened when it is needed and replaced
/// after an error that makes it unusable, and the pauses between attempts grow from 100 ms to 1 s. One
/// thread.
class ThreadSession {
 public:
  /// `application_name` and `settings`, statements that a new session begins with, outlive the object.
  ThreadSession(std::string database_url, const char* application_name, std::vector<const char*> settings);

  /// Opens the session if there is none. Returns true if it did. Throws DatabaseUnavailable or
  /// StatementError; there is no session then.
  bool open();
  /// Closes the session; the next `open` opens another.
  void close() { session_.reset(); }
  bool is_open() const { return session_ != nullptr; }
  /// The session, which must be open.
  storage::Session& operator*() const { return *session_; }
  storage::Session* operator->() const { return session_.get(); }

  /// Notes that the work of a turn succeeded: the next pause is the shortest.
  void worked() { backoff_.reset(); }
  /// Notes that it failed, and closes the session if the error made it unusable. Returns the pause before the
  /// next attempt.
  Duration failed(const std::exception& error);

 private:
  const std::string database_url_;
  const char* const application_name_;
  const std::vector<const char*> settings_;
  std::unique_ptr<storage::Session> session_;
  Backoff backoff_;
};

}  // namespace waybill::worker
