#include "worker/guard/pauses.hpp"

#include <algorithm>
#include <optional>
#include <ranges>

#include "base/observe.hpp"
#include "net/sealed_mail.hpp"
#include "storage/blocking/connection.hpp"
#include "storage/sql.hpp"

namespace waybill::worker {
namespace {

net::MailMessage mail_of(const PauseNotice& notice) {
  net::MailMessage mail{
      .subject = "The workflow \"" + notice.workflow_name + "\" was paused",
      .text =
          "The workflow \"" + notice.workflow_name + "\" of " + notice.business_name +
          " was paused because " + notice.reason +
          ".\n\nEvents still match the workflow, and its runs are held. When the cause is resolved, resume "
          "the workflow; the held runs are then performed in order.\n\nThe guid of the workflow is " +
          notice.workflow_id.to_string() + ".\n",
      .headers = {{"Auto-Submitted", "auto-generated"}}};  // RFC 3834 section 5
  for (const auto line : std::views::split(notice.contacts, '\n')) {
    const std::string_view address(line.begin(), line.end());
    if (net::parse_mailbox(address)) mail.to.emplace_back(address);
  }
  return mail;
}

}  // namespace

std::optional<Paused> pause(storage::blocking::Connection& session, const PauseRequest& request) {
  const pqxx::result rows =
      session.run(storage::sql::workflows::pause, request.business_id, request.workflow_id, request.reason);
  if (rows.empty()) return std::nullopt;
  observe(Observable::workflow_paused,
          {{"workflow", request.workflow_id.to_string()}, {"reason", std::string_view(request.reason)}});
  return Paused{request.workflow_id, rows.at(0)["epoch"].as<std::uint64_t>()};
}

std::vector<Paused> pause_and_mail(storage::blocking::Connection& session, const SecretBox& secrets,
                                   std::span<const PauseNotice> notices) {
  std::vector<Paused> paused;
  if (notices.empty()) return paused;
  std::vector<Guid> businesses;
  std::vector<Guid> workflows;
  std::vector<std::int64_t> epochs;
  std::vector<std::string> reasons;
  std::vector<std::optional<std::string>> guids;
  std::vector<std::optional<std::string>> mails;
  for (const PauseNotice& notice : notices) {
    businesses.push_back(notice.business_id);
    workflows.push_back(notice.workflow_id);
    epochs.push_back(static_cast<std::int64_t>(notice.epoch));
    reasons.push_back(notice.reason);
    const Guid guid = Guid::random();
    const net::MailMessage mail = mail_of(notice);
    const bool has_recipient = !mail.to.empty();
    guids.push_back(has_recipient ? std::optional(guid.to_string()) : std::nullopt);
    mails.push_back(has_recipient ? std::optional(net::seal_mail(secrets, guid, mail)) : std::nullopt);
  }
  const pqxx::result rows = session.run(storage::sql::workflows::pause_and_mail,
                                        storage::array_literal(businesses), storage::array_literal(workflows),
                                        storage::array_literal(epochs), storage::array_literal(reasons),
                                        storage::array_literal(guids), storage::array_literal(mails));
  for (const auto& row : rows) {
    const auto workflow = row["guid"].as<Guid>();
    const auto notice = std::ranges::find(notices, workflow, &PauseNotice::workflow_id);
    observe(Observable::workflow_paused, {{"workflow", workflow.to_string()}, {"reason", notice->reason}});
    paused.push_back({workflow, row["epoch"].as<std::uint64_t>()});
  }
  return paused;
}

}  // namespace waybill::worker
