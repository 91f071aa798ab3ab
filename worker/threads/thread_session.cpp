#include "worker/threads/thread_session.hpp"

#include <utility>

#include "storage/statement/errors.hpp"

namespace waybill::worker {
namespace {

constexpr Duration first_pause = std::chrono::milliseconds(100);
constexpr Duration longest_pause = std::chrono::seconds(1);

}  // namespace

ThreadSession::ThreadSession(std::string database_url, const char* application_name,
                             std::vector<const char*> settings)
    : database_url_(std::move(database_url)),
      application_name_(application_name),
      settings_(std::move(settings)),
      backoff_(first_pause, longest_pause) {}

bool ThreadSession::open() {
  if (session_) return false;
  auto session = std::make_unique<storage::Session>(database_url_, application_name_, storage::worker_limits);
  for (const char* const setting : settings_) session->execute(setting);
  session_ = std::move(session);
  return true;
}

Duration ThreadSession::failed(const std::exception& error) {
  if (storage::spoils_session(error)) session_.reset();
  return backoff_.next();
}

}  // namespace waybill::worker
