#include "storage/session/session.hpp"

#include "storage/session/pq_link.hpp"

namespace waybill::storage {

Session::Session(const std::string& url, std::string_view application_name, const SessionLimits& limits)
    : link_(std::make_unique<PqLink>(url, application_name, limits)) {}

Sessions::Sessions(std::string url)
    : open_([url = std::move(url)](std::string_view application_name) {
        return std::make_unique<PqLink>(url, application_name, worker_limits);
      }) {}

Work::~Work() {
  if (!open_) return;
  try {
    session_.execute("rollback");
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): a lost session rolls back by itself
  }
}

void Work::commit() {
  open_ = false;
  session_.execute("commit");
}

}  // namespace waybill::storage
